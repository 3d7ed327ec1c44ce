// Vercel's Build Output API: the folder .vercel/output, which 'vercel build' and the adapters for Vercel make.
import { hasPath, readSmall, type SiteFiles } from './files.ts'

export interface BuildOutput {
  /** The folder with its pages. */
  pages: string
  hasFunctions: boolean
}

/** `undefined` if the folder is something else. */
export async function readBuildOutput(site: SiteFiles): Promise<BuildOutput | undefined> {
  if (hasPath(site, 'index.html') || !isVersion3(await readSmall(site, 'config.json'))) return undefined
  const hasFunctions = hasPath(site, 'functions/')
  return hasFunctions || hasPath(site, 'static/') ? { pages: 'static', hasFunctions } : undefined
}

function isVersion3(text: string | undefined): boolean {
  try {
    return JSON.parse(text ?? '')?.version === 3
  } catch {
    return false
  }
}
