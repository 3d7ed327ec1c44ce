// The version of this program, from its package.
import { readFileSync } from 'node:fs'
import { programFile } from './program-files.ts'

const manifest = programFile('../package.json')
export const version = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
