# SPDX-License-Identifier: Apache-2.0
"""What is packed beside the agent: dashboards and alerts name what it says, manifests and confs are sound."""
import glob
import json
import re
import subprocess
from pathlib import Path

import pytest

from agent import BINARY, ROOT, run, tail, to_http, to_tcp
from lines import put
from waiting import free_port, wait_until

PACKAGING = ROOT / "packaging"
DASHBOARD = PACKAGING / "grafana/logweir.json"
ALERTS = PACKAGING / "prometheus/alerts.yml"
CHART = PACKAGING / "helm/logweir"
METRIC = re.compile(r"\b(?:logweir|process)_[a-z0-9_]+")
DPKG = Path("/var/lib/dpkg/info")
BASE = re.compile(r"lib(c|m|gcc_s|stdc\+\+)\.|ld-linux")  # in every image
pytestmark = pytest.mark.one_worker


def yaml_of(text):
    yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed")
    return [one for one in yaml.safe_load_all(text) if one]


def expressions():
    """Those of the dashboard."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", [])]


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          cwd=ALERTS.parent)
    assert done.returncode == 0, done.stdout + done.stderr


# -- dashboards and alerts --

def test_every_metric_they_name_is_in_a_scrape(agent, sink, make_http_sink, logs):
    rejecting = make_http_sink(act=lambda number: 400)
    nobody = {"name": "tcp", "match": "*", "host": "127.0.0.1", "port": free_port(), "retry_limit": "no_retries"}
    put(logs / "a.log", "a line")
    agent.configure(tail(logs / "*.log"), [to_tcp(sink, durable=True), to_http(rejecting), nobody]).start()

    def missing():
        page = agent.get("/metrics")[1]
        have = set(METRIC.findall(page)) | {name for name, _, _ in agent.metrics()}
        return {name for text in [*expressions(), ALERTS.read_text()] for name in METRIC.findall(text)} - have
    wait_until(lambda: not missing(), what=missing)
    assert len(expressions()) > 20


def test_the_dashboard_is_whole_and_its_expressions_parse(tmp_path):
    board = json.loads(DASHBOARD.read_text())
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids)) and board["schemaVersion"] >= 36
    assert [panel["type"] for panel in board["panels"]].count("heatmap") == 2
    variables = {one["name"] for one in board["templating"]["list"]}
    rules = []
    for number, text in enumerate(expressions()):
        assert set(re.findall(r"\$(\w+)", text)) <= variables | {"__rate_interval", "__range"}, text
        text = re.sub(r"\$__\w+", "5m", text)
        rules.append({"record": f"r{number}", "expr": re.sub(r"\$\w+", "x", text)})
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "g", "rules": rules}]}))
    promtool("check", "rules", tmp_path / "rules.yml")


def test_the_alerts_fire_when_they_should():
    promtool("check", "rules", ALERTS)
    promtool("test", "rules", "alerts_test.yml")


# -- confs --

def conf_in(text):
    return next(one["data"]["logweir.yaml"] for one in yaml_of(text) if one["kind"] == "ConfigMap")


def test_every_packed_conf_is_sound(tmp_path):
    confs = {"debian": (PACKAGING / "debian/logweir.yaml").read_text(),
             "container": (PACKAGING / "container/logweir.yaml").read_text(),
             "kubernetes": conf_in((PACKAGING / "kubernetes/daemonset.yaml").read_text()),
             "helm": yaml_of((CHART / "values.yaml").read_text())[0]["config"]}
    # The output that the Debian conf proposes is right as well.
    head, proposed = confs["debian"].split("#   - name: http", 1)
    confs["proposed"] = head + "    - name: http" + re.sub(r"(?m)^#", " ", proposed)
    for name, text in confs.items():
        (tmp_path / f"{name}.yaml").write_text(text)
        done = run("check", "-c", tmp_path / f"{name}.yaml")
        assert done.returncode == 0 and done.stderr == "", name + done.stderr
    assert "collector.example.org" in run("check", "-c", tmp_path / "proposed.yaml").stdout


def test_the_container_has_the_libraries_and_is_not_root():
    text = (PACKAGING / "Containerfile").read_text()
    dynamic = subprocess.run(["readelf", "-d", BINARY], capture_output=True, text=True, check=True).stdout
    needed = {name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not BASE.match(name)}
    packages = re.findall(r"\blib[a-z0-9.+-]+|zlib1g", text)
    lists = [one for package in packages for one in DPKG.glob(f"{glob.escape(package)}[:.]*list")]
    brought = {line.rsplit("/", 1)[1] for one in lists for line in one.read_text().split()}
    assert len(needed) >= 8 and needed <= brought, needed - brought
    assert re.findall(r"(?m)^USER (.*)$", text) == ["10001:10001"]
    assert "HEALTHCHECK" in text and "http://127.0.0.1:2020/health" in text


# -- Kubernetes --

def check_daemonset(one):
    """The fields that the API server asks for, and what we promise of it."""
    assert one["apiVersion"] == "apps/v1" and one["metadata"]["name"]
    spec, pod = one["spec"], one["spec"]["template"]["spec"]
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
    container, = pod["containers"]
    assert container["name"] and container["image"] and container["resources"]["limits"]["memory"]
    rights = container["securityContext"]
    assert rights["readOnlyRootFilesystem"] is True and rights["allowPrivilegeEscalation"] is False
    assert rights["capabilities"] == {"drop": ["ALL"], "add": ["DAC_READ_SEARCH"]}
    ports = {port["name"] for port in container["ports"]}
    for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = container[kind]
        check, = [probe[key] for key in ("httpGet", "tcpSocket", "exec", "grpc") if key in probe]
        assert check["port"] in ports
    assert container["livenessProbe"]["httpGet"]["path"] != "/health"  # a dead peer must not kill the agent
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert all(len(volume) == 2 for volume in pod["volumes"])  # a name and one source
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    writable = [m["mountPath"] for m in container["volumeMounts"] if not m.get("readOnly")]
    assert writable == ["/var/lib/logweir"]
    assert pod["terminationGracePeriodSeconds"] > 20


def test_the_manifests_belong_together():
    every = yaml_of((PACKAGING / "kubernetes/daemonset.yaml").read_text())
    kinds = {one["kind"]: one for one in every}
    assert set(kinds) == {"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "DaemonSet"}
    check_daemonset(kinds["DaemonSet"])
    pod = kinds["DaemonSet"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == kinds["ServiceAccount"]["metadata"]["name"]
    assert pod["volumes"][0]["configMap"]["name"] == kinds["ConfigMap"]["metadata"]["name"]
    binding = kinds["ClusterRoleBinding"]
    assert binding["roleRef"]["name"] == kinds["ClusterRole"]["metadata"]["name"]
    assert binding["subjects"][0] == {"kind": "ServiceAccount", "name": pod["serviceAccountName"],
                                      "namespace": kinds["Namespace"]["metadata"]["name"]}
    assert all(set(rule["verbs"]) <= {"get", "list", "watch"} for rule in kinds["ClusterRole"]["rules"])


# -- the chart, whose templates only place values --

def value_of(values, path):
    for key in path.split("."):
        assert key in values, f".Values.{path} is not in values.yaml"
        values = values[key]
    return values


def placed(text, values):
    """A template with its values in place: blocks are taken as true, a name of the release is `x`."""
    text = re.sub(r"\{\{ toJson \.Values\.([\w.]+) \}\}", lambda m: json.dumps(value_of(values, m[1])), text)
    text = re.sub(r"\{\{ \.Values\.([\w.]+)[^}]*\}\}", lambda m: str(value_of(values, m[1])), text)
    for path in re.findall(r"\.Values\.([\w.]+)", text):
        value_of(values, path)
    text = re.sub(r"(?ms)^\{\{- range .*?^\{\{- end \}\}\n", "", text)
    return re.sub(r"\{\{ .*?\}\}", "x", re.sub(r"(?m)^\{\{-.*\}\}$", "", text))


def test_the_chart_uses_the_values_that_it_has():
    values, = yaml_of((CHART / "values.yaml").read_text())
    chart, = yaml_of((CHART / "Chart.yaml").read_text())
    assert chart["apiVersion"] == "v2" and chart["name"] == CHART.name and chart["appVersion"] in run("version").stdout
    templates = {path: path.read_text() for path in sorted((CHART / "templates").iterdir())}
    used = {path.split(".")[0] for text in templates.values() for path in re.findall(r"\.Values\.([\w.]+)", text)}
    assert used == set(values)
    every = {one["kind"]: one for text in templates.values() for one in yaml_of(placed(text, values))}
    assert set(every) == {"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "DaemonSet"}
    check_daemonset(every["DaemonSet"])
    assert every["ConfigMap"]["data"]["logweir.yaml"] == values["config"]
    assert every["ServiceAccount"]["metadata"]["name"] == every["ClusterRoleBinding"]["subjects"][0]["name"]
