"""Far more load than a network sustains, for a while, beside a client that asks for little: what memory the
validators take, what the clients are told, and how soon all is as before. Used by a test and by the soak."""
import json
import subprocess
import threading
import time

from network import FLAMINGO, Network

CALM = 8  # seconds of the little load alone, before the flood
AFTER = 20  # and after it


def anonymous_mib(pid):
    """RssAnon: memory of its own. VmRSS would count the store's map too."""
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def load(net, clients, rate, seconds):
    arguments = [part for c in clients for part in ("--config", str(net.client(c)))]
    return subprocess.Popen([FLAMINGO, "client", *arguments, "--rate", str(rate), "--duration", str(seconds),
                             "--tx-size", "512", "--json"], stdout=subprocess.PIPE, text=True)


def read_lines(process, into):
    into.extend((time.monotonic(), json.loads(line)) for line in process.stdout)


def run(rate, seconds, clients=100, steady_rate=200, after=AFTER):
    """Floods a network of four with `rate` a second for `seconds`, from many clients: one alone holds itself
    back. Gives what was seen, as a dict."""
    with Network(clients=clients + 1) as net:
        net.start()
        net.wait_up()
        steady_lines, flood_lines, memory = [], [], 0
        steady = load(net, [clients], steady_rate, CALM + seconds + after)
        readers = [threading.Thread(target=read_lines, args=(steady, steady_lines))]
        readers[0].start()
        flood = None
        try:
            time.sleep(CALM)
            flooded = time.monotonic()
            flood = load(net, range(clients), rate, seconds)
            readers.append(threading.Thread(target=read_lines, args=(flood, flood_lines)))
            readers[1].start()
            slowest_status = 0
            while steady.poll() is None:
                memory = max(memory, *(anonymous_mib(p.pid) for p in net.processes.values()))
                asked = time.monotonic()
                answered = sum(v["reachable"] for v in net.status())
                if asked < flooded + seconds:
                    assert answered == 4, f"{answered} of 4 validators answered"
                    slowest_status = max(slowest_status, time.monotonic() - asked)
                time.sleep(0.5)
        finally:
            for one in (steady, flood):
                if one:
                    one.kill()
                    one.wait()
            for reader in readers:
                reader.join()
        p50 = [(at - flooded, line["recent_latency_ms"]["p50"])
               for at, line in steady_lines if not line["finished"]]
        calm = sorted(x for at, x in p50 if 2 - CALM < at < 0)
        normal = calm[len(calm) // 2]
        busy_again = [at - seconds for at, x in p50 if at > seconds and x > 2 * normal]
        last, flood_last = steady_lines[-1][1], flood_lines[-1][1]
        return {"flood_tps": rate, "seconds": seconds, "clients": clients,
                "memory_mib_max": round(memory, 1), "status_seconds_max": round(slowest_status, 2),
                "flood_sent_tps": round(flood_last["sent_tps"]),
                "flood_busy_tps": round(flood_last["busy_tps"]),
                "flood_executed_tps": round(flood_last["completed"] / seconds),
                "steady_p50_ms_before": normal,
                "steady_p50_ms_during": max(x for at, x in p50 if 0 < at < seconds),
                "normal_again_after_seconds": round(max([0, *busy_again]), 1),
                "lost": last["lost"] + flood_last["lost"],
                "duplicated": last["duplicated"] + flood_last["duplicated"],
                "steady_completed": last["completed"], "steady_sent": last["sent"]}


if __name__ == "__main__":
    import sys
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]))))
