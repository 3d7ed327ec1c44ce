// Reads the .svcignore files that hold for a deploy: the one in the working directory, beside svc.json, and the one in the
// deployed directory. The paths in both are relative to the deployed directory.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Extent, ignoreFile, ignoreRules } from '@svc/contract/site'
import { errorCode, fileFailure } from '../failure.ts'

export async function withIgnoreRules(dir: string, extent: Extent): Promise<Extent> {
  const places = [...new Set([resolve('.'), resolve(dir)])]
  const texts = places.map(readRules).filter(text => text !== undefined)
  return texts.length === 0 ? extent : { ...extent, ignores: ignoreRules(texts) }
}

function readRules(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, ignoreFile), 'utf8')
  } catch (error) {
    // ENOTDIR: the directory is a file, and the list of files says so.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    throw fileFailure('read', ignoreFile, error)
  }
}
