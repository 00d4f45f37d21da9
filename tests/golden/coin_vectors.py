#!/usr/bin/env python3
"""Frozen vectors of the threshold coin, computed without any of Flamingo's code.

Plain Python integers for P-256 (FIPS 186-4, D.1.2.3) and hashlib; follows crypto/coin.hpp and the paper of
Cachin, Kursawe and Shoup. Prints the vectors; `coin_vectors.txt` beside it is its output:

    python3 tests/golden/coin_vectors.py > tests/golden/coin_vectors.txt

A change of that file is a change of the protocol: networks of before and after elect different leaders.
"""
import hashlib

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
A = -3
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
Q = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


# -- the group; None is the point at infinity ----------------------------------

def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and (p[1] + q[1]) % P == 0:
        return None
    if p == q:
        slope = (3 * p[0] * p[0] + A) * pow(2 * p[1], -1, P)
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope * slope - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def power(base, exponent):
    result = None
    for bit in bin(exponent % Q)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, base)
    return result


def encode(point):
    return bytes([2 + point[1] % 2]) + point[0].to_bytes(32, "big")


def on_curve(point):
    x, y = point
    return (y * y - (x**3 + A * x + B)) % P == 0


# -- hashing -------------------------------------------------------------------

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def tag(kind):
    return sha(b"flamingo/" + kind.encode() + b"/v1")


def u(value, size):
    return value.to_bytes(size, "little")


# -- the dealer ----------------------------------------------------------------

def deal(n, f, seed):
    polynomial = []
    for j in range(f + 1):
        wide = b"".join(sha(tag("coin-deal"), seed, u(n, 2), u(f, 2), u(j, 2), u(half, 1))
                        for half in range(2))
        polynomial.append(int.from_bytes(wide, "big") % Q)
    return [sum(c * (i + 1)**j for j, c in enumerate(polynomial)) % Q for i in range(n)]


# -- the coin ------------------------------------------------------------------

class Coin:
    def __init__(self, chain, epoch, f, secrets):
        self.where = chain + u(epoch, 8)
        self.f = f
        self.secrets = secrets
        self.keys = [power(G, s) for s in secrets]
        self.keys_digest = sha(tag("coin-keys"), u(f, 2), *map(encode, self.keys))

    def about(self, kind, wave):
        return tag(kind) + self.where + u(wave, 8)

    def point(self, wave):
        attempt = 0
        while True:
            x = int.from_bytes(sha(self.about("coin-point", wave), u(attempt, 4)), "big")
            attempt += 1
            square = (x**3 + A * x + B) % P
            y = pow(square, (P + 1) // 4, P)
            if x >= P or y * y % P != square:
                continue
            point = (x, y if y % 2 == 0 else P - y)
            assert on_curve(point)
            return point

    def share(self, wave, author):
        secret = self.secrets[author]
        base = self.point(wave)
        share = power(base, secret)
        statement = u(author, 2) + self.keys_digest + encode(base) + encode(share)
        wide = b"".join(sha(self.about("coin-nonce", wave), statement, secret.to_bytes(32, "big"),
                            u(half, 1)) for half in range(2))
        k = int.from_bytes(wide, "big") % Q
        c = int.from_bytes(sha(self.about("coin-challenge", wave), statement, encode(power(G, k)),
                               encode(power(base, k))), "big") % Q
        z = (k + c * secret) % Q
        # The check that a verifier makes.
        assert add(power(G, z), power(self.keys[author], -c)) == power(G, k)
        assert add(power(base, z), power(share, -c)) == power(base, k)
        return encode(share) + c.to_bytes(32, "big") + z.to_bytes(32, "big")

    def value(self, wave):
        # With the dealer's own secret, by interpolating scalars: no share is involved.
        nodes = range(1, self.f + 2)
        secret = 0
        for i in nodes:
            weight = 1
            for j in nodes:
                if j != i:
                    weight = weight * j * pow(j - i, -1, Q) % Q
            secret += weight * self.secrets[i - 1]
        return sha(self.about("coin-value", wave), encode(power(self.point(wave), secret % Q)))


def main():
    print("# Written by coin_vectors.py; do not edit.")
    for n, f, epoch, waves in ((4, 1, 0, (1, 2, 3, 2**40 + 7)), (7, 2, 5, (1, 1000)), (1, 0, 0, (1,))):
        chain = sha(b"chain of %d" % n)
        seed = sha(b"seed of %d" % n)
        coin = Coin(chain, epoch, f, deal(n, f, seed))
        print("coin", n, f, epoch, chain.hex(), seed.hex())
        for i, secret in enumerate(coin.secrets):
            print("dealt", i, secret.to_bytes(32, "big").hex(), encode(coin.keys[i]).hex())
        for wave in waves:
            value = coin.value(wave)
            leader = int.from_bytes(value[:8], "little") % n
            print("wave", wave, encode(coin.point(wave)).hex(), value.hex(), leader)
            for author in range(n):
                print("share", wave, author, coin.share(wave, author).hex())


main()
