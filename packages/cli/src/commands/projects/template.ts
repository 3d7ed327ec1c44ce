// Writes the files of a template into the current directory.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../../failure.ts'
import { clean } from '../../output.ts'
import { connect, required } from '../../session.ts'

interface TemplateFile {
  path: string
  content: string
}

/** Fails before anything is created if a file of the template is there already. */
export async function fetchTemplate(template: string): Promise<TemplateFile[]> {
  const sent = required(await connect()('GET /templates/:template', { params: { template } }), 'files')
  const files = sent.map(file => ({ path: required(file, 'path'), content: required(file, 'content') }))
  const outside = files.find(({ path }) => !staysHere(path))
  if (outside) throw new Failure(`The template has a file outside of this directory: ${clean(outside.path)}`)
  const inTheWay = files.filter(({ path }) => existsSync(path)).map(({ path }) => path)
  if (inTheWay.length > 0)
    throw new Failure(
      `This directory has files of that name already: ${clean(inTheWay.join(', '))}. Use an empty directory.`,
    )
  return files
}

const staysHere = (path: string): boolean =>
  path !== '' &&
  !/[\\:\0]/.test(path) &&
  path.split('/').every(part => part !== '' && !/^\.{1,2}$/.test(part))

export async function writeTemplate(files: readonly TemplateFile[]): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true })
    // Not over a file that appeared meanwhile.
    await writeFile(path, content, { flag: 'wx' })
  }
}
