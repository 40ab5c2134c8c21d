-- wrk -s wrk.lua URL -- REQUESTS_FILE WINDOW_SECONDS CONNECTIONS
-- Sends the requests of the file in turn until the window closes. A connection whose answer comes after that stays
-- silent. When all are, no answer is under way, and what was sent can be compared with what was recorded: it says so, and its
-- parent ends it.
local ffi = require('ffi')
ffi.cdef [[ typedef struct { long sec, usec; } bench_timeval; int gettimeofday(bench_timeval *, void *); ]]
local clock = ffi.new('bench_timeval')
local function now()
  ffi.C.gettimeofday(clock, nil)
  return tonumber(clock.sec) + tonumber(clock.usec) / 1000000
end

local requests, count, window, closes_at, connections, silent = {}, 0, 0, nil, 0, 0
-- wrk asks once for a request before it starts, to check the script; that one is never sent.
sent = -1

function setup(thread)
  the_thread = thread
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for text in file:read('*a'):gmatch('([^%z]+)%z') do
    count = count + 1
    requests[count] = text
  end
  file:close()
  window = tonumber(args[2])
  connections = tonumber(args[3])
end

function request()
  if sent >= 0 then
    local at = now()
    closes_at = closes_at or at + window
    if at >= closes_at then
      silent = silent + 1
      if silent == connections then
        io.write('\n@silent\n')
        io.flush()
      end
      return ''
    end
  end
  sent = sent + 1
  return requests[sent % count + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n@bench{"sent":%d,"answered":%d,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    the_thread:get('sent'), the_thread:get('settled') or summary.requests, the_thread:get('wrong') or errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
