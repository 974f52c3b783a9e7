-- The requests that wrk sends: replays a file of requests repeatedly.
--
--   wrk … -s replay.lua URL -- FILE SKIP
--
-- Each line of FILE is a path, followed by additional headers ("Name: value") after tabs. The first SKIP
-- lines come last. Requests are formatted once, before the measurement, to keep the load generator fast.

local requests = {}
local count = 0
local at = 0

function init(arguments)
  local file = arguments[1]
  if file == nil then
    error("replay.lua needs a file of addresses after --")
  end
  for line in io.lines(file) do
    local headers = {}
    for name, value in pairs(wrk.headers) do
      headers[name] = value
    end
    local path = nil
    for cell in string.gmatch(line, "[^\t]+") do
      if path == nil then
        path = cell
      else
        local name, value = string.match(cell, "^([^:]+): (.*)$")
        headers[name] = value
      end
    end
    count = count + 1
    requests[count] = wrk.format("GET", path, headers)
  end
  if count == 0 then
    error("the file of addresses is empty: " .. file)
  end
  at = tonumber(arguments[2] or "0") % count
end

function request()
  at = at + 1
  if at > count then
    at = 1
  end
  return requests[at]
end

-- One machine-readable line. Times are in microseconds.
function done(summary, latency)
  local errors = summary.errors
  local line = '\nreplay {"requests":%d,"duration":%d,"bytes":%d,'
    .. '"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d},'
    .. '"latency":{"p50":%d,"p99":%d}}\n'
  io.write(string.format(
    line,
    summary.requests, summary.duration, summary.bytes,
    errors.connect, errors.read, errors.write, errors.status, errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
