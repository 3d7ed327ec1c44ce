// The other paths that an app may read in a request. Each of them needs the password of its rule, too.

export function pathsAppsMayRead(written: string): string[] {
  const path = asAppsRead(written)
  // Fastify ends the path at a semicolon, Java servers end the segment there.
  const plain = path.replace(/;[^/]*/g, '')
  const readings = [path, plain, path.split(';', 1)[0]!]
  return [...new Set(readings.flatMap(reading => [reading, pageOfData(reading) ?? reading]))]
}

/** Apps resolve `..`, read a backslash as a slash, and merge repeated slashes. */
function asAppsRead(written: string): string {
  const local = written.replace(/^https?:\/\/[^/]*/i, '')
  const url = `http://site${local.startsWith('/') ? '' : '/'}${local}`
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: local }
  const plain = pathname.replace(/\/{2,}/g, '/')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain // malformed escapes are left as they are
  }
}

/** By path of an image resizer, the query parameter that names the image: Next.js, Astro. */
const imageFields: Record<string, string> = { '/_next/image': 'url', '/_image': 'href' }
/** The image resizer of Nuxt names the image in the path, after a segment with the size. */
const imagePath = /\/_ipx\/[^/]+(?=\/)/
/** How deep resizer URLs may be nested in each other. */
const imageDepth = 3

/** The images of the site that the app serves resized at this URL. */
export function resizedImagesAt(target: string, depth = imageDepth): string[] {
  const [written = '', ...rest] = target.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const sources = pathsAppsMayRead(written).flatMap(path => {
    const inPath = imagePath.exec(path)
    const field = Object.keys(imageFields).find(end => path.endsWith(end))
    const all = field === undefined ? [] : query.getAll(imageFields[field]!)
    // Frameworks use the first or the last value. Checking only these bounds the work for a request with thousands.
    const named = [...all.slice(0, 1), ...all.slice(-1)]
    return inPath === null ? named : [...named, path.slice(inPath.index + inPath[0].length)]
  })
  const local = [...new Set(sources)].filter(source => source.startsWith('/'))
  const further = depth === 1 ? [] : local.flatMap(source => resizedImagesAt(source, depth - 1))
  return [...local.map(source => source.split('?', 1)[0]!), ...further]
}

/** The endings of URLs that serve the data of a page: React Router, Next.js (two), SvelteKit, Nuxt, Gatsby. */
const dataSuffixes = ['.data', '.rsc', '.txt', '/__data.json', '/_payload.json', '/page-data.json']
/** The names of the home page in such URLs. */
const home = new Set(['', '/', '/index', '/_root'])

/** The page whose data is served at this path, for the framework's client-side navigation. */
function pageOfData(path: string): string | undefined {
  const next = /^\/_next\/data\/[^/]+(?=\/)/.exec(path)?.[0]
  const suffix = next === undefined ? dataSuffixes.find(end => path.endsWith(end)) : '.json'
  if (suffix === undefined || !path.endsWith(suffix)) return undefined
  const start = next ?? (path.startsWith('/page-data/') ? '/page-data' : '')
  const page = path.slice(start.length, -suffix.length)
  return home.has(page) ? '/' : page
}
