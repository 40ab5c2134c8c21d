-- wrk -s pairs.lua URL -- REQUESTS_FILE WINDOW_SECONDS CONNECTIONS SERVICE_KEY
-- The requests of the file are for authorize. After each answer its hold is settled, also when the window has closed, so
-- that no hold is left. Counts pairs; what is not right is counted as refused.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'wrk.lua')
local start, authorize, head, holds = init, request, nil, {}
wrong, settled = 0, 0

function init(args)
  start(args)
  head = 'POST /v1/meter/settle HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
    .. 'Finmeter-Service-Key: ' .. args[4] .. '\r\nContent-Length: '
end

-- Each hold is followed by a request at least, that of its own connection.
function request()
  if #holds == 0 then return authorize() end
  local body = '{"hold":"' .. table.remove(holds) .. '"}'
  return head .. #body .. '\r\n\r\n' .. body
end

function response(status, headers, body)
  if status ~= 200 then
    wrong = wrong + 1
  elseif body:find('"credits_charged":1', 1, true) then
    settled = settled + 1
  else
    local hold = body:match('"hold":"([^"]+)"')
    if hold then holds[#holds + 1] = hold else wrong = wrong + 1 end
  end
end
