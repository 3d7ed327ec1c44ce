-- Each request asks for another file. BENCH_REQUESTS names a file with lines of a path and its ETag; of every BENCH_KNOWN
-- requests one comes from a visitor who has the file already (0: none).
local known = tonumber(os.getenv('BENCH_KNOWN'))
local requests = {}
local next = 0

function init()
  local files = {}
  for line in io.lines(os.getenv('BENCH_REQUESTS')) do
    local path, etag = line:match('^(%S+)\t(.*)$')
    files[#files + 1] = { path = path, etag = etag }
  end
  -- Round by round other files are known.
  for round = 1, math.max(1, known) do
    for i, file in ipairs(files) do
      local headers = {}
      for name, value in pairs(wrk.headers) do headers[name] = value end
      if known > 0 and (i + round) % known == 0 then headers['If-None-Match'] = file.etag end
      requests[#requests + 1] = wrk.format('GET', file.path, headers)
    end
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end
