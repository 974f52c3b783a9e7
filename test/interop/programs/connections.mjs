// Sends requests one after another over Node's default agent, which keeps connections for the next one.
import http from "node:http";

const { BASE, ADMIN, KEY, TOKEN, CONNECTION } = process.env;
const records = {
  Authorization: `Bearer ${KEY}`,
  Accept: "application/vnd.api+json",
};
const connection = CONNECTION ? { Connection: CONNECTION } : {};

function get(url, headers) {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers: { ...headers, ...connection } }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          connection: response.headers.connection,
          etag: response.headers.etag,
        }),
      );
    });
    request.on("error", (error) => reject(new Error(`${url}: ${error.message}`)));
  });
}

const { etag } = await get(`${BASE}/shards/na/players`, records);
const sent = [
  [`${BASE}/shards/na/players`, records],
  [`${BASE}/shards/na/matches`, { ...records, "Accept-Encoding": "gzip" }],
  [`${BASE}/shards/na/matches/nobody`, records],
  [`${BASE}/shards/na/players`, { ...records, "If-None-Match": etag }],
  [`${BASE}/status`, {}],
  [`${BASE}/`, {}],
  [`${ADMIN}/keys`, { Authorization: `Bearer ${TOKEN}` }],
  [`${ADMIN}/keys`, {}],
];
const seen = [];
for (let round = 0; round < 2; round++) {
  for (const [url, headers] of sent) {
    const { status, connection: said } = await get(url, headers);
    seen.push([new URL(url).pathname, status, said ?? null]);
  }
}
console.log(JSON.stringify(seen));
