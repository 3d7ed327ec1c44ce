// Which packages the code of a server imports.
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'

/** Code larger than this is data, or was made for browsers. */
export const codeBytes = 5 * 1024 * 1024
const isForDevelopment = (name: string): boolean => /\.(?:config|test|spec|d)\./.test(name)
/** Whether the file has code that Node.js may run on a server. */
export const isScript = (name: string): boolean => /\.[cm]?js$/.test(name) && !isForDevelopment(name)
/** The same, or its source. */
export const isSource = (name: string): boolean => /\.[cm]?[jt]sx?$/.test(name) && !isForDevelopment(name)

/** `target` names a package that loggers such as pino load in another thread. */
const specifiers =
  /\b(?:from|import|require(?:\.resolve)?|target["']?:)[\s(]{0,20}["'`]([^"'`\\\n]{1,200})["'`]/g

/** What a file of code imports: packages and paths. The code is not parsed: some comments count, too. */
export function specifiersIn(file: string): string[] {
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
export function packageNameIn(specifier: string): string {
  const [, name = ''] = /^((?:@[\w.~-]+\/)?\w[\w.~-]*)(?:\/|$)/.exec(specifier) ?? []
  return isBuiltin(name) ? '' : name
}
