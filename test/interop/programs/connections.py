# Sends requests one after another over one http.client connection for each server.
import http.client
import json
import os
from urllib.parse import urlsplit

base, admin = os.environ["BASE"], os.environ["ADMIN"]
connection = {"Connection": os.environ["CONNECTION"]} if os.environ.get("CONNECTION") else {}
records = {
    "Authorization": "Bearer " + os.environ["KEY"],
    "Accept": "application/vnd.api+json",
}
token = {"Authorization": "Bearer " + os.environ["TOKEN"]}
clients = {url: http.client.HTTPConnection(urlsplit(url).netloc, timeout=20) for url in (base, admin)}


def get(url, path, headers):
    client = clients[url]
    client.request("GET", path, headers={**headers, **connection})
    response = client.getresponse()
    response.read()
    return response


etag = get(base, "/shards/na/players", records).headers["ETag"]
sent = [
    (base, "/shards/na/players", records),
    (base, "/shards/na/matches", {**records, "Accept-Encoding": "gzip"}),
    (base, "/shards/na/matches/nobody", records),
    (base, "/shards/na/players", {**records, "If-None-Match": etag}),
    (base, "/status", {}),
    (base, "/", {}),
    (admin, "/keys", token),
    (admin, "/keys", {}),
]
seen = []
for _ in range(2):
    for url, path, headers in sent:
        response = get(url, path, headers)
        seen.append([path, response.status, response.headers["Connection"]])
print(json.dumps(seen))
