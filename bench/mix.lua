-- Each request asks for another file. BENCH_REQUESTS names a file with lines of a path and its ETag; of every BENCH_KNOWN
-- requests one comes from a visitor who has the file already (0: none). As those of a browser, the headers differ between the kinds of
-- files.
local known = tonumber(os.getenv('BENCH_KNOWN'))
local requests = {}
local next = 0

local kinds = {
  js = { Accept = '*/*', ['Sec-Fetch-Dest'] = 'script' },
  css = { Accept = 'text/css,*/*;q=0.1', ['Sec-Fetch-Dest'] = 'style' },
  webp = {
    Accept = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    ['Sec-Fetch-Dest'] = 'image',
  },
  woff2 = { Accept = '*/*', ['Sec-Fetch-Mode'] = 'cors', ['Sec-Fetch-Dest'] = 'font' },
}

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
      for name, value in pairs(kinds[file.path:match('%.(%w+)$')] or {}) do headers[name] = value end
      if known > 0 and (i + round) % known == 0 then headers['If-None-Match'] = file.etag end
      requests[#requests + 1] = wrk.format('GET', file.path, headers)
    end
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end
