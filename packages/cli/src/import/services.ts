// Finds packages and attributes in the sources that need a service of the other platform. An import cannot translate them,
// so it names them.
import type { Findings } from './findings.ts'
import { listed } from './functions.ts'
import type { PackageFacts } from './package-json.ts'
import type { ProjectFiles } from './project-files.ts'

const counting = 'sends its data to Vercel and shows nothing here. Visits are counted without it: svc stats'
const storage = 'needs a service of the other platform. Keep the account there for it, or replace it'

/** Packages that work differently here. */
const packages: Readonly<Record<string, string>> = {
  '@vercel/analytics': counting,
  '@vercel/speed-insights': counting,
  '@vercel/blob': storage,
  '@vercel/kv': storage,
  '@vercel/postgres': storage,
  '@vercel/edge-config': storage,
  '@netlify/blobs': storage,
  '@netlify/neon': storage,
  'netlify-identity-widget': storage,
}

export function checkServices({ dependencies }: PackageFacts, path: string, findings: Findings): void {
  for (const [name, words] of Object.entries(packages))
    if (dependencies.has(name)) findings.warn(path, `${name} ${words}.`)
}

const mostPages = 50

/** Forms that Netlify receives because of an attribute in the page. */
export function checkForms(files: ProjectFiles, folders: readonly string[], findings: Findings): void {
  const pages = [...new Set(folders.flatMap(folder => files.list(folder, 2)))].filter(path =>
    path.endsWith('.html'),
  )
  const found = pages.slice(0, mostPages).filter(path => files.contains(path, 'data-netlify'))
  if (found.length > 0)
    findings.warn(
      listed(found),
      'The forms of these pages are sent to Netlify. Let them post to /_svc/forms/<name> here.',
    )
}
