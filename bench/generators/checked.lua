-- wrk -s checked.lua URL -- REQUESTS_FILE WINDOW_SECONDS CONNECTIONS BODY CHARGED
-- As wrk.lua, and looks at every answer: its body, and the header X-Credits-Charged (empty: none). What is not right is
-- counted as refused.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'wrk.lua')
local start, wanted, charged = init, nil, nil
wrong = 0

function init(args)
  start(args)
  wanted = args[4]
  charged = args[5] ~= '' and args[5] or nil
end

function response(status, headers, body)
  if status ~= 200 or body ~= wanted or (headers['x-credits-charged'] or headers['X-Credits-Charged']) ~= charged then
    wrong = wrong + 1
  end
end
