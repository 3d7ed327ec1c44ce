// A site as visitors see one: 300 files of the sizes and types of real pages, and the requests of browsers for them.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bytesOf, KB, packSite } from './sites.mjs'

const files = 300
/** Of ten files each, as they are before they are compressed. An answer of the mix has 22 KB. */
const types = ['html', 'html', 'html', 'js', 'js', 'css', 'webp', 'webp', 'webp', 'woff2']
const sizes = [2, 4, 6, 10, 14, 20, 28, 40, 60, 120]

/** What a browser sends besides the host. */
export const browserHeaders = {
  Connection: 'keep-alive',
  'sec-ch-ua': '"Chromium";v="130", "Not?A_Brand";v="99"',
  'sec-ch-ua-mobile': '?0',
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'sec-ch-ua-platform': '"Linux"',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'document',
  Referer: 'https://mix.bench.test/',
  'Accept-Encoding': 'gzip',
  'Accept-Language': 'en-GB,en;q=0.9',
}

/** Writes the folder; answers its root, its tarball, and its paths in an order that repeats no neighbours. */
export function makeMixedSite(dir) {
  const root = join(dir, 'mix')
  mkdirSync(join(root, 'files'), { recursive: true })
  writeFileSync(join(root, 'index.html'), bytesOf('index', 4 * KB))
  writeFileSync(join(root, 'large.bin'), noise('large', 1024 * KB))
  const paths = Array.from({ length: files }, (_, i) => {
    const type = types[i % types.length]
    const size = sizes[Math.floor(i / types.length) % sizes.length] * KB
    const isText = type !== 'webp' && type !== 'woff2'
    const path = `/files/file-${i}.${type}`
    writeFileSync(join(root, path), isText ? bytesOf(path, size) : noise(path, Math.floor(size / 1.4)))
    return path
  })
  const tarball = packSite(root)
  return { root, tarball, paths: paths.map((_, i) => paths[(i * 71) % files]) }
}

/**
 * A site of 300 files whose sizes have a long tail: half of them have less than 7 KB, few are as large as `most` KB. Another seed
 * makes another site, for a measurement on traffic that nothing was tuned for.
 */
export function makeLongTailSite(dir, { seed, most }) {
  const root = join(dir, `long-tail-${seed}`)
  mkdirSync(join(root, 'files'), { recursive: true })
  writeFileSync(join(root, 'index.html'), bytesOf('index', 4 * KB))
  const paths = Array.from({ length: files }, (_, i) => {
    const type = types[i % types.length]
    const path = `/files/file-${i}.${type}`
    const share = createHash('sha512').update(`${seed} ${i}`).digest().readUInt32BE(0) / 2 ** 32
    const size = Math.min(most * KB, Math.floor(3 * KB * (1 - share) ** (-1 / 0.9)))
    const isText = type !== 'webp' && type !== 'woff2'
    writeFileSync(join(root, path), (isText ? bytesOf : noise)(seed + path, size))
    return path
  })
  const tarball = packSite(root)
  return { root, tarball, paths: paths.map((_, i) => paths[(i * 71) % files]) }
}

/** Bytes that nothing compresses. */
function noise(seed, size) {
  const parts = []
  for (let length = 0; length < size; length += 64)
    parts.push(createHash('sha512').update(`${seed} ${length}`).digest())
  return Buffer.concat(parts).subarray(0, size)
}

/**
 * Waits until svc has compressed the site, and writes the same compressed bytes beside the files of the others, which then
 * serve them as they are.
 */
export async function shareCompressed({ root, paths }, url, host) {
  for (const path of ['/index.html', ...paths]) {
    const isText = /html$|js$|css$/.test(path)
    const asked = path.replace(/index\.html$/, '')
    let answer = await ask(url + asked, host)
    while (isText && answer.headers['content-encoding'] !== 'gzip') {
      if (answer.status !== 200) throw new Error(`${url + asked}: ${answer.status}`)
      await sleep(250)
      answer = await ask(url + asked, host)
    }
    if (isText) writeFileSync(`${join(root, path)}.gz`, answer.body)
  }
}

/** Lines for wrk: the path, and the ETag that this server gives it. */
export async function requestsOf(paths, url, host) {
  const lines = []
  for (const path of paths) lines.push(`${path}\t${(await ask(url + path, host)).headers.etag}\n`)
  return lines.join('')
}

function ask(url, host) {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https') ? secureRequest : plainRequest
    const options = { headers: { host, 'accept-encoding': 'gzip' }, agent: false, rejectUnauthorized: false }
    request(url, options, res => {
      const parts = []
      res.on('data', part => parts.push(part)).on('error', reject)
      res.on('end', () =>
        resolve({ status: res.statusCode, headers: res.headers, body: Buffer.concat(parts) }),
      )
    })
      .on('error', reject)
      .end()
  })
}
