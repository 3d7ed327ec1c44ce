// The TypeScript sources of all packages, for the checks of `npm run lint`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

export const sources = () =>
  readdirSync(join(root, 'packages'))
    .map(name => `packages/${name}/src`)
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder => readdirSync(join(root, folder), { recursive: true }).map(path => `${folder}/${path}`))
    .filter(path => /\.tsx?$/.test(path))
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
