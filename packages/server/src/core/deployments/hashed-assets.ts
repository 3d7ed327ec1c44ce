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
  {
    builtWith: 'VitePress',
    path: /(?:^|\/)assets\/(?:[^/]+\.md\.[\w-]{8}(?:\.lean)?|(?:app|chunks\/[^/]+)\.(?=[\w-]*[A-Z])[\w-]{8})\.js$/,
  },
  // A quarter of Vite's hashes have no digit. Two capitals tell them from most words. Pictures beside them may have a word there,
  // such as icon-LinkedIn.svg.
  {
    builtWith: 'Vite',
    path: /(?:^|\/)assets\/[^/]+-(?=[\w-]{0,6}[A-Z][\w-]{0,6}[A-Z])[\w-]{8}\.(?:js|css)$/,
  },
  // esbuild's hashes are eight of A-Z and 2-7, often without a digit.
  {
    builtWith: 'Angular',
    path: /(?:^|\/)(?:main|chunk|polyfills|styles|scripts)-[A-Z2-7]{8}\.(?:js|css)$/,
  },
  { builtWith: 'Remix', path: /^build\/.*-[A-Z2-7]{8}\.(?:js|css)$/ },
  { builtWith: 'Qwik', path: /(?:^|\/)build\/q-[\w-]{8}\.js$/ },
]

export function isHashedAsset(path: string): boolean {
  return table.some(row => row.path.test(path))
}
