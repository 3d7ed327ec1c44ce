// Deno apps: their modules are fetched into a folder of the app during the build.
import { below, type ProjectFiles } from './files.ts'
import type { LanguageApp } from './language-app.ts'

const entries = ['main.ts', 'main.js', 'server.ts', 'server.js', 'main.tsx', 'mod.ts', 'index.ts']
const env = { DENO_DIR: '.deno' }

export async function denoApp(files: ProjectFiles, dir: string): Promise<LanguageApp | undefined> {
  const settings =
    (await files.read(below(dir, 'deno.json'))) ?? (await files.read(below(dir, 'deno.jsonc'))) ?? ''
  const entry = await firstOf(files, dir)
  const typed = entry === undefined ? 'deno --version' : `deno cache ${entry}`
  // The file may have comments, so it is not parsed.
  const [, tasks = ''] = settings.split('"tasks"')
  if (tasks.includes('"start"')) return { typed, start: 'DENO_DIR=.deno deno task start', env }
  if (entry === undefined) return undefined
  const text = (await files.read(below(dir, entry))) ?? ''
  const isHandler = text.includes('export default') && text.includes('fetch') && !text.includes('Deno.serve')
  const run = isHandler ? 'serve -A --host "$HOSTNAME" --port "$PORT"' : 'run -A'
  return { typed, start: `DENO_DIR=.deno deno ${run} ${entry}`, env }
}

async function firstOf(files: ProjectFiles, dir: string): Promise<string | undefined> {
  for (const entry of entries) if (await files.hasFile(below(dir, entry))) return entry
  return undefined
}
