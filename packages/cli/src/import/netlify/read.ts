// Reads a Netlify site from its directory and, with a token, from Netlify's API.
import { readDotenvFiles } from '../dotenv-files.ts'
import { Imported } from '../imported.ts'
import { parseConfig } from '../parse-config.ts'
import type { ProjectFiles } from '../project-files.ts'
import { checkForms } from '../services.ts'
import { fieldsOf, textOf } from '../untrusted.ts'
import { readNetlifyApi } from './api.ts'
import { folderOf, readNetlifyConfig } from './config.ts'

export const netlifyTraces = ['netlify.toml', '.netlify/', 'netlify/functions/', 'netlify/edge-functions/']

export async function readNetlify(files: ProjectFiles, token: string | undefined): Promise<Imported> {
  const imported = new Imported('netlify')
  const siteId = readSiteId(files, imported)
  if (token !== undefined && siteId === undefined)
    imported.findings.warn(
      '.netlify/state.json',
      "There is none, so nothing is read from Netlify. Run 'netlify link' here, then 'svc import' again.",
    )
  const { config, root } = await readConfig(files)
  readDotenvFiles(files, root, imported, [])
  if (token !== undefined && siteId !== undefined) await readNetlifyApi(siteId, token, imported)
  // The file wins over the settings at Netlify, but variables that are set there win over it.
  const atNetlify = [...imported.variables.values()].filter(({ source }) => source === 'Netlify')
  readNetlifyConfig(config, files, imported)
  checkForms(
    files,
    [root, `${root}/public`, `${root}/static`, `${root}/${imported.build.output_dir ?? ''}`].map(trimmed),
    imported.findings,
  )
  for (const variable of atNetlify) imported.setVariable(variable)
  return imported
}

/** Removes slashes at both ends. */
const trimmed = (folder: string): string => folder.split('/').filter(Boolean).join('/')

/** A file in the base folder wins over the one at the top. */
async function readConfig(files: ProjectFiles) {
  const top = files.text('netlify.toml')
  const config = top === undefined ? {} : await parseConfig('netlify.toml', top)
  const root = folderOf(fieldsOf(config.build).base) ?? ''
  const inner = root === '' ? undefined : files.text(`${root}/netlify.toml`)
  if (inner === undefined) return { config, root }
  const own = await parseConfig(`${root}/netlify.toml`, inner)
  return { config: { ...own, build: { ...fieldsOf(own.build), base: root } }, root }
}

function readSiteId(files: ProjectFiles, { findings }: Imported): string | undefined {
  const text = files.text('.netlify/state.json')
  if (text === undefined) return undefined
  try {
    return textOf(fieldsOf(JSON.parse(text)).siteId)
  } catch {
    findings.warn('.netlify/state.json', 'is not valid JSON and is left out.')
    return undefined
  }
}
