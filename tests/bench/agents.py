# SPDX-License-Identifier: Apache-2.0
"""How each agent is told to do the same job. Each function gives (command, environment), or nothing when it can't."""
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build/release/bench"


@dataclass
class Job:
    """From `source` (a file, or "tcp") to `target` ("tcp", or a file), every line as JSON; perhaps parsed before."""
    folder: Path
    source: object
    target: object
    parse: str = ""
    listen: int = 0   # where the agent listens
    connect: int = 0  # where the sink listens


def logweir(job):
    source = {"name": "tcp", "listen": "127.0.0.1", "port": job.listen} if job.source == "tcp" else {
        "name": "tail", "path": str(job.source), "read_from_head": True, **({"parser": "j"} if job.parse else {})}
    target = {"name": "tcp", "host": "127.0.0.1", "port": job.connect, "format": "json_lines"} if job.target == "tcp" else {
        "name": "file", "path": str(job.target.parent), "file": job.target.name, "format": "plain"}
    conf = {"service": {"log_level": "warn", "http_server": False, "state_dir": str(job.folder / "state")},
            "parsers": [{"name": "j", "format": "json"}],
            "pipeline": {"inputs": [{"tag": "t", **source}], "outputs": [{"match": "*", **target}]}}
    (job.folder / "logweir.yaml").write_text(json.dumps(conf))
    return [os.environ.get("LOGWEIR", str(ROOT / "build/release/logweir")), "-c", str(job.folder / "logweir.yaml")], {}


def limit(job):
    how = "copy" if job.parse else "json"
    source = f"tcp:{job.listen}" if job.source == "tcp" else str(job.source)
    target = f"tcp:{job.connect}" if job.target == "tcp" else str(job.target)
    return [str(TOOLS / "bench_limit"), how, source, target], {}


def rsyslog(job):
    binary = shutil.which("rsyslogd") or shutil.which("rsyslogd", path="/usr/sbin:/sbin")
    if not binary:
        return None
    template = ('template(name="out" type="list"){property(name="$!all-json") constant(value="\\n")}' if job.parse else
                'template(name="out" type="list" option.jsonf="on"){property(outname="log" name="msg" format="jsonf")}')
    modules = ['module(load="imtcp")' if job.source == "tcp" else 'module(load="imfile" mode="inotify")']
    modules += ['module(load="mmjsonparse")'] if job.parse else []
    source = (f'input(type="imtcp" address="127.0.0.1" port="{job.listen}" ruleset="r")' if job.source == "tcp" else
              f'input(type="imfile" file="{job.source}" tag="t" freshStartTail="off" ruleset="r")')
    action = (f'action(type="omfwd" target="127.0.0.1" port="{job.connect}" protocol="tcp" template="out")'
              if job.target == "tcp" else
              f'action(type="omfile" file="{job.target}" template="out" flushOnTXEnd="on" ioBufferSize="256k")')
    parse = 'action(type="mmjsonparse" cookie="")' if job.parse else ""
    conf = job.folder / "rsyslog.conf"
    conf.write_text("\n".join([f'global(workDirectory="{job.folder}" maxMessageSize="64k")', *modules, template,
                               'main_queue(queue.type="LinkedList" queue.size="200000" queue.dequeueBatchSize="1024")',
                               f'ruleset(name="r"){{ {parse} {action} }}', source, ""]))
    return [binary, "-n", "-f", str(conf), "-i", str(job.folder / "rsyslog.pid")], {}


def syslog_ng(job):
    prefix = os.environ.get("SYSLOG_NG", "")
    binary, modules = Path(f"{prefix}/usr/sbin/syslog-ng"), Path(f"{prefix}/usr/lib/syslog-ng")
    found = sorted(modules.glob("[0-9]*")) if binary.exists() else []
    if not found:
        return None
    fetch = "log-fetch-limit(1000) log-iw-size(100000)"
    source = (f"network(ip(127.0.0.1) port({job.listen}) transport(tcp) flags(no-parse) {fetch})" if job.source == "tcp"
              else f'file("{job.source}" flags(no-parse) follow-freq(0.1) read-old-records(yes) {fetch})')
    text = "$(format-json j.* --shift-levels 1)" if job.parse else "$(format-json log=$MSG)"
    queue = f'template("{text}\\n") flush-lines(1000) log-fifo-size(200000)'
    target = (f'network("127.0.0.1" port({job.connect}) transport(tcp) {queue})' if job.target == "tcp" else
              f'file("{job.target}" {queue})')
    parse = 'parser { json-parser(prefix("j.")); };' if job.parse else ""
    conf = job.folder / "syslog-ng.conf"
    conf.write_text("@version: 3.38\noptions { stats-freq(0); threaded(yes); log-msg-size(65536); };\n"
                    f"log {{ source {{ {source}; }}; {parse} destination {{ {target}; }}; flags(flow-control); }};\n")
    command = [str(binary), "-F", "-f", str(conf), "--no-caps", "--module-path", str(found[0])]
    command += ["-R", str(job.folder / "persist"), "-c", str(job.folder / "control"), "-p", str(job.folder / "pid")]
    libraries = f"{prefix}/usr/lib/x86_64-linux-gnu:{modules}" if prefix else ""
    return command, {"LD_LIBRARY_PATH": libraries} if libraries else {}


AGENTS = {"logweir": logweir, "limit": limit, "rsyslog": rsyslog, "syslog-ng": syslog_ng}
