// Files with a content hash in their path that the general rule (edge/freshness.ts) does not recognize: the hash is in a
// folder name, is followed by another word, or has no digit.

interface HashedAssets {
  builtWith: string
  /** Matched against the path that visitors ask for, without its first slash. */
  path: RegExp
}

const table: HashedAssets[] = [
  // Names carry a hash of the content, or lie in a folder that is named by the build.
  { builtWith: 'Next.js', path: /(?:^|\/)_next\/static\// },
  { builtWith: 'Astro', path: /(?:^|\/)_astro\// },
  // builds/ says which build is the latest.
  { builtWith: 'Nuxt', path: /(?:^|\/)_nuxt\/(?!builds\/)/ },
  // _app/version.json changes with each build, and is not among them.
  { builtWith: 'SvelteKit', path: /(?:^|\/)_app\/immutable\// },
  { builtWith: 'Gatsby', path: /(?:^|\/)static\/[0-9a-f]{32}\// },
  {
    builtWith: 'Create React App',
    path: /(?:^|\/)static\/(?:js|css)\/[^/]+\.[0-9a-f]{8}\.chunk\.(?:js|css)$/,
  },
  // esbuild's hashes are eight of A-Z and 2-7, often without a digit.
  {
    builtWith: 'Angular',
    path: /(?:^|\/)(?:main|chunk|polyfills|styles|scripts)-[A-Z2-7]{8}\.(?:js|css)$/,
  },
  { builtWith: 'Remix', path: /^build\/.*-[A-Z2-7]{8}\.(?:js|css)$/ },
  { builtWith: 'Qwik', path: /(?:^|\/)build\/q-[\w-]{8}\.js$/ },
]

/** Folders that bundlers fill: Vite and VitePress. Every name in them that may end in a hash is taken for a hashed one. */
const bundled = /(?:^|\/)assets\//

export function isHashedAsset(path: string): boolean {
  return table.some(row => row.path.test(path)) || (bundled.test(path) && mayEndInHash(path))
}

/** The fewest characters of a hash. Vite's hashes are eight characters of base64url: letters, digits, `-` and `_`. */
const leastHash = 8

/** Whether the name ends, before its extension, in a dot or a dash and characters that may be a hash. */
function mayEndInHash(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  // VitePress puts another word behind the hash.
  const stem = name.slice(0, Math.max(0, name.lastIndexOf('.'))).replace(/\.lean$/, '')
  const part = stem.slice(stem.lastIndexOf('.') + 1)
  // By hand: an expression that looks for the first dash would not be linear.
  const run = part.split(/[^\w-]/).at(-1)!
  const isAfterDot = part.length < stem.length && run.length === part.length
  const dash = run.indexOf('-')
  return isAfterDot ? run.length >= leastHash : dash >= 0 && run.length - dash - 1 >= leastHash
}
