// The paths that an app may take a request for, besides the one that the platform reads. Each of them is protected.

export function pathsAppsMayRead(written: string): string[] {
  const path = asAppsRead(written)
  // Fastify ends the path at a semicolon, Java servers end the segment there.
  const plain = path.replace(/;[^/]*/g, '')
  const readings = [path, plain, path.split(';', 1)[0]!]
  return [...new Set(readings.flatMap(reading => [reading, pageOfData(reading) ?? reading]))]
}

/** Apps resolve dots, take backslashes for slashes and several slashes for one. */
function asAppsRead(written: string): string {
  const local = written.replace(/^https?:\/\/[^/]*/i, '')
  const url = `http://site${local.startsWith('/') ? '' : '/'}${local}`
  const { pathname } = URL.canParse(url) ? new URL(url) : { pathname: local }
  const plain = pathname.replace(/\/{2,}/g, '/')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain // malformed escapes mean themselves
  }
}

/** Where frameworks show images in another size, and the field of the query that names the image: Next.js, Astro. */
const imageFields: Record<string, string> = { '/_next/image': 'url', '/_image': 'href' }
/** The same where the path names the image, after a segment that says how large it is: Nuxt. */
const imagePath = /\/_ipx\/[^/]+(?=\/)/
/** One resized image may be named as the source of another. */
const imageDepth = 3

/** The images of the site that the app shows at this address, in another size. */
export function resizedImagesAt(target: string, depth = imageDepth): string[] {
  const [written = '', ...rest] = target.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const sources = pathsAppsMayRead(written).flatMap(path => {
    const inPath = imagePath.exec(path)
    const field = Object.keys(imageFields).find(end => path.endsWith(end))
    const all = field === undefined ? [] : query.getAll(imageFields[field]!)
    // No framework takes another one than the first or the last. A request with thousands must not cost as many looks.
    const named = [...all.slice(0, 1), ...all.slice(-1)]
    return inPath === null ? named : [...named, path.slice(inPath.index + inPath[0].length)]
  })
  const local = [...new Set(sources)].filter(source => source.startsWith('/'))
  const further = depth === 1 ? [] : local.flatMap(source => resizedImagesAt(source, depth - 1))
  return [...local.map(source => source.split('?', 1)[0]!), ...further]
}

/** How frameworks end the address of a page's data: React Router, Next.js (two), SvelteKit, Nuxt, Gatsby. */
const dataSuffixes = ['.data', '.rsc', '.txt', '/__data.json', '/_payload.json', '/page-data.json']
/** How their home page is called there. */
const home = new Set(['', '/', '/index', '/_root'])

/** The page whose content is also shown at this address, as data for the framework's own links. */
function pageOfData(path: string): string | undefined {
  const next = /^\/_next\/data\/[^/]+(?=\/)/.exec(path)?.[0]
  const suffix = next === undefined ? dataSuffixes.find(end => path.endsWith(end)) : '.json'
  if (suffix === undefined || !path.endsWith(suffix)) return undefined
  const start = next ?? (path.startsWith('/page-data/') ? '/page-data' : '')
  const page = path.slice(start.length, -suffix.length)
  return home.has(page) ? '/' : page
}
