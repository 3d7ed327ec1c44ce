// Finds which packages a built server needs: those of package.json that are not for development, and those that its code or
// its start command names. A server that contains its packages names none, and gets none.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { type PackageJson, readCommand } from '@svc/contract/site'
import { isInstalled, programNames } from './packages.ts'

/** Code larger than this is data. */
const codeBytes = 5 * 1024 * 1024

/** The packages for a server that a start command starts in the folder of its project. */
export function packagesOfCommand(project: string, line: string, manifest: PackageJson): string[] {
  const words = commandWords(line, manifest.scripts)
  const start = readCommand(line, manifest, path => isFile(join(project, path)))
  const entry = start.starts === 'server' && start.entry ? start.entry : codeIn(project, words)
  const code = entry === undefined ? [] : codeFiles(project, entry)
  const { dependencies, devDependencies } = manifest
  const isCalled = (name: string) => programNames(project, name).some(program => words.includes(program))
  const called = [...dependencies, ...devDependencies].filter(isCalled)
  const named = [...importsOf(code), ...words.map(packageOf)].filter(name => isInstalled(project, name))
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

const isScript = (name: string): boolean => /\.[cm]?js$/.test(name) && !isForDevelopment(name)
const isSource = (name: string): boolean => /\.[cm]?[jt]sx?$/.test(name) && !isForDevelopment(name)
const isForDevelopment = (name: string): boolean => /\.(?:config|test|spec|d)\./.test(name)

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

/** `target` names a package that loggers such as pino load in another thread. */
const specifiers =
  /\b(?:from|import|require(?:\.resolve)?|target["']?:)[\s(]{0,20}["'`]([^"'`\\\n]{1,200})["'`]/g

/** The names of packages in imports. The code is not parsed: some comments count, too. */
function importsOf(files: readonly string[]): Set<string> {
  return new Set(files.flatMap(specifiersIn).map(packageOf))
}

function specifiersIn(file: string): string[] {
  const code = readFileSync(file, 'utf8').split('\n').map(withoutTypes).join('\n')
  return [...code.matchAll(specifiers)].map(([, specifier = '']) => specifier)
}

/** A longer line is minified. It has no comments with types, and may have texts such as `/**`. */
const longestLine = 500

/** Removes comments with types, such as `{import('svelte').Component}`, from a line of code. */
function withoutTypes(line: string): string {
  if (line.length > longestLine) return line
  const isInside = line.trimStart().startsWith('*')
  let rest = isInside ? `/**${line}` : line
  let code = ''
  for (let begin = rest.indexOf('/**'); begin >= 0; begin = rest.indexOf('/**')) {
    code += rest.slice(0, begin)
    const end = rest.indexOf('*/', begin + 3)
    if (end < 0) return code
    rest = rest.slice(end + 2)
  }
  return code + rest
}

/** The name of the package in a specifier such as `dotenv/config`. Empty for paths and for modules of Node.js. */
function packageOf(specifier: string): string {
  const [, name = ''] = /^((?:@[\w.~-]+\/)?\w[\w.~-]*)(?:\/|$)/.exec(specifier) ?? []
  return isBuiltin(name) ? '' : name
}
