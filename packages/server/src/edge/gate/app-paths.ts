// Finds the paths that apps may serve at a URL, besides the path that the platform reads in it. A request needs the
// passwords of all these paths.

export function pathsAppsMayRead(written: string): string[] {
  const path = asAppsRead(written)
  // Fastify ends the path at a semicolon. Java servers end only the segment there.
  const plain = path.replace(/;[^/]*/g, '')
  const readings = [path, plain, path.split(';', 1)[0]!]
  return [...new Set(readings.flatMap(reading => [reading, pageOfData(reading) ?? reading]))]
}

/** Resolves `..`, reads a backslash as a slash, merges repeated slashes and decodes escapes, as apps may do. */
function asAppsRead(written: string): string {
  const local = written.replace(/^https?:\/\/[^/]*/i, '')
  const url = `http://site${local.startsWith('/') ? '' : '/'}${local}`
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: local }
  const plain = pathname.replace(/\/{2,}/g, '/')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain // With a malformed escape, all escapes are left as they are.
  }
}

/** The paths of image resizers (Next.js, Astro), each with the query parameter that names the image. */
const imageFields: Record<string, string> = { '/_next/image': 'url', '/_image': 'href' }
/** The image resizer of Nuxt, which names the image in the path after a segment with the size. */
const imagePath = /\/_ipx\/[^/]+(?=\/)/
/** How many levels are checked if the image of a resizer URL is itself a resizer URL. */
const imageDepth = 3

/** The paths of the site's images that an image resizer may serve at this URL. */
export function resizedImagesAt(target: string, depth = imageDepth): string[] {
  const [written = '', ...rest] = target.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const sources = pathsAppsMayRead(written).flatMap(path => {
    const inPath = imagePath.exec(path)
    const field = Object.keys(imageFields).find(end => path.endsWith(end))
    const all = field === undefined ? [] : query.getAll(imageFields[field]!)
    // A request may repeat the parameter thousands of times. Only the first and the last value are checked, because
    // frameworks use one of these.
    const named = [...all.slice(0, 1), ...all.slice(-1)]
    return inPath === null ? named : [...named, path.slice(inPath.index + inPath[0].length)]
  })
  const local = [...new Set(sources)].filter(source => source.startsWith('/'))
  const further = depth === 1 ? [] : local.flatMap(source => resizedImagesAt(source, depth - 1))
  return [...local.map(source => source.split('?', 1)[0]!), ...further]
}

/** The endings of URLs that serve the data of a page: React Router, Next.js (`.rsc`, `.txt`), SvelteKit, Nuxt, Gatsby. */
const dataSuffixes = ['.data', '.rsc', '.txt', '/__data.json', '/_payload.json', '/page-data.json']
/** The names of the home page in URLs that serve the data of a page. */
const home = new Set(['', '/', '/index', '/_root'])

/** The page whose data a framework serves at this path. `undefined` if it is not a path of such data. */
function pageOfData(path: string): string | undefined {
  const next = /^\/_next\/data\/[^/]+(?=\/)/.exec(path)?.[0]
  const suffix = next === undefined ? dataSuffixes.find(end => path.endsWith(end)) : '.json'
  if (suffix === undefined || !path.endsWith(suffix)) return undefined
  const start = next ?? (path.startsWith('/page-data/') ? '/page-data' : '')
  const page = path.slice(start.length, -suffix.length)
  return home.has(page) ? '/' : page
}
