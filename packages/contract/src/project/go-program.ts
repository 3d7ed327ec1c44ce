// Go programs: compiled to a static program in `bin/`, as on other platforms.
import { below, type ProjectFiles } from './files.ts'
import type { LanguageApp } from './language-app.ts'

/** Of several programs in `cmd/`, the one that is a server. */
const likely = ['server', 'web', 'app', 'api', 'main']

export async function goProgram(files: ProjectFiles, dir: string): Promise<LanguageApp | undefined> {
  const main = await mainPackage(files, dir)
  if (main === undefined) return undefined
  const name = main === '.' ? moduleName(await files.read(below(dir, 'go.mod'))) : main.slice('./cmd/'.length)
  if (!/^[\w.-]{1,100}$/.test(name)) return undefined
  return {
    typed: `go build -trimpath -o bin/ ${main}`,
    start: `bin/${name}`,
    // Without C, the program needs no library of the machine that it runs on.
    env: { CGO_ENABLED: '0', GOOS: 'linux' },
  }
}

/** `undefined` if `cmd/` has several programs, and none has a usual name. */
async function mainPackage(files: ProjectFiles, dir: string): Promise<string | undefined> {
  if (await files.hasFile(below(dir, 'main.go'))) return '.'
  const programs: string[] = []
  for (const name of await files.folders(below(dir, 'cmd')))
    if (await files.hasFile(below(dir, `cmd/${name}/main.go`))) programs.push(name)
  if (programs.length === 0) return '.'
  const chosen = programs.length === 1 ? programs[0] : likely.find(name => programs.includes(name))
  return chosen && `./cmd/${chosen}`
}

/** The last part of the module's path, without a version such as `v2`: Go names the program after it. */
function moduleName(goMod = ''): string {
  const line = goMod.split('\n').find(text => text.startsWith('module ')) ?? ''
  const path = (line.slice('module '.length).split('//')[0] ?? '').trim().replaceAll('"', '')
  const parts = path.split('/').filter(Boolean)
  if (parts.length > 1 && /^v\d+$/.test(parts.at(-1) ?? '')) parts.pop()
  return parts.at(-1) ?? ''
}
