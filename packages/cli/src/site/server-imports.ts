// Finds which packages a built server needs: those of package.json that are not for development, and those that its code or
// its start command names. A server that contains its packages names none, and gets none.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { type PackageJson, readCommand } from '@svc/contract/project'
import { codeBytes, isScript, isSource, packageNameIn, specifiersIn } from '@svc/contract/project/imports'
import { isInstalled, programNames } from './packages.ts'

/** The packages for a server that a start command starts in the folder of its project. */
export async function packagesOfCommand(
  project: string,
  line: string,
  manifest: PackageJson,
): Promise<string[]> {
  const words = commandWords(line, manifest.scripts)
  const start = await readCommand(line, manifest, path => isFile(join(project, path)))
  const entry = start.starts === 'server' && start.entry ? start.entry : codeIn(project, words)
  const { dependencies, devDependencies, workspaces } = manifest
  // `npm start --workspace web` starts code below, and does not say which.
  const anywhere = workspaces ? filesBelow(project, isScript) : []
  const code = entry === undefined ? anywhere : codeFiles(project, entry)
  const isCalled = (name: string) => programNames(project, name).some(program => words.includes(program))
  const called = [...dependencies, ...devDependencies].filter(isCalled)
  const named = [...importsOf(code), ...words.map(packageNameIn)].filter(name => isInstalled(project, name))
  const needed = [...called, ...named]
  return entry !== undefined && needed.length === 0 ? [] : [...new Set([...dependencies, ...needed])]
}

/** The packages that the server of a framework imports. The framework has bundled all others. */
export function packagesOfFolder(project: string, folder: string): string[] {
  return [...importsOf(filesBelow(join(project, folder), isScript))].filter(name =>
    isInstalled(project, name),
  )
}

/** The words of a command, and of the scripts of package.json that it runs. */
function commandWords(line: string, scripts: ReadonlyMap<string, string>): string[] {
  const lines = new Set([line])
  for (const each of lines)
    for (const word of wordsOf(each)) {
      const script = /\brun\b|^(?:npm|pnpm|yarn|bun)\b/.test(each) ? scripts.get(word) : undefined
      if (script !== undefined) lines.add(script)
    }
  return [...lines].flatMap(wordsOf)
}

const wordsOf = (line: string): string[] => line.split(/[\s"'=;&|]+/).filter(word => word !== '')

/** The code that a program of a package runs. */
const codeIn = (project: string, words: readonly string[]): string | undefined =>
  words
    .map(word => word.replace(/^(?:\.\/)+/, ''))
    .filter(word => /^[^/-].*\.[cm]?[jt]sx?$/.test(word) && !word.split('/').includes('..'))
    .find(word => isFile(join(project, word)))

/**
 * The code in the top folder of the file that is started, such as `dist`. A program may load any of it. All code of the
 * project, if code of that folder loads files outside of it: `bin/www` of Express loads `../app`.
 */
function codeFiles(project: string, entry: string): string[] {
  const slash = entry.indexOf('/')
  const isWanted = /\.[cm]?tsx?$/.test(entry) ? isSource : isScript
  const all = (folder: string) => [...new Set([join(project, entry), ...filesBelow(folder, isWanted)])]
  if (slash < 0) return all(project)
  const top = join(project, entry.slice(0, slash))
  const code = all(top)
  const leadsOut = (file: string) =>
    specifiersIn(file).some(it => /^\.\.?(?:\/|$)/.test(it) && !isBelow(join(dirname(file), it), top))
  return code.some(leadsOut) ? all(project) : code
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep)

/** `statSync` throws where a folder on the way is a file. */
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

function filesBelow(folder: string, isWanted: (name: string) => boolean): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const at = join(folder, entry.name)
    if (entry.isDirectory())
      return ['node_modules', '.git'].includes(entry.name) ? [] : filesBelow(at, isWanted)
    return entry.isFile() && isWanted(entry.name) && statSync(at).size <= codeBytes ? [at] : []
  })
}

const importsOf = (files: readonly string[]): Set<string> =>
  new Set(files.flatMap(specifiersIn).map(packageNameIn))
