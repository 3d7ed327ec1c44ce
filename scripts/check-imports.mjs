// Checks the import direction of every source file; part of `npm run lint`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { problemsOf } from './import-rules.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const sources = readdirSync(join(root, 'packages'))
  .map(name => `packages/${name}/src`)
  .filter(folder => existsSync(join(root, folder)))
  .flatMap(folder => readdirSync(join(root, folder), { recursive: true }).map(path => `${folder}/${path}`))
  .filter(path => /\.tsx?$/.test(path))

const problems = sources.flatMap(path => problemsOf(path, readFileSync(join(root, path), 'utf8')))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
