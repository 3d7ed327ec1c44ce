// svcd projects: suspends and resumes projects. It works while the server runs.
import { parseArgs } from 'node:util'
import { withPlatform } from '../compose/command-platform.ts'
import { complain } from './output.ts'
import { resumeAs, suspendAs, suspensionOptions } from './suspension.ts'

const subcommands = { suspend: suspendAs, resume: resumeAs }

const isVerb = (verb: string): verb is keyof typeof subcommands => Object.hasOwn(subcommands, verb)

export async function projects(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: suspensionOptions, allowPositionals: true })
  const [verb = '', name = '', extra] = positionals
  if (!isVerb(verb) || name === '' || extra !== undefined)
    return complain(
      'Usage: svcd projects suspend <name> [--status 451|503] --reason "…", or svcd projects resume <name>',
    )
  await withPlatform(platform => subcommands[verb](platform, 'project', name, values))
  return 0
}
