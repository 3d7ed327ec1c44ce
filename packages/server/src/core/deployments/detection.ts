// Detects whether a deployment is a server and how it starts, with the table that the platform shares with its clients.
import {
  type Command,
  type Detected,
  detectServer,
  frontPageProblem,
  type NodeRequest,
  nodeAskedBy,
  type SiteFiles,
} from '@svc/contract/project'
import type { PackReader } from '../../ports/packs/pack-reader.ts'

export type { Command } from '@svc/contract/project'

/** The methods of `PackReader` that detection needs. */
export type AppFiles = Pick<PackReader, 'find' | 'files' | 'read'>

/** The warnings also say if the front page of a static site is a 404. */
export async function detectApp(files: AppFiles): Promise<Detected & { node: NodeRequest | undefined }> {
  const site: SiteFiles = {
    *paths() {
      for (const { path } of files.files()) yield path
    },
    sizeOf: path => files.find(path)?.size,
    text: async path => (await files.read(files.find(path)!)).toString('utf8'),
  }
  const { app, warnings } = await detectServer(site)
  // A command that cannot be used says already why nothing is started.
  const problem = app || warnings.length > 0 ? undefined : await frontPageProblem(site)
  const node = app && (await nodeAskedBy(site))
  return { app, node, warnings: problem === undefined ? warnings : [problem] }
}

/** The command as it is stored. */
export const encodeCommand = (command: Command): string => JSON.stringify(command)
export const decodeCommand = (stored: string): Command => JSON.parse(stored) as unknown as Command

/** The command as it would be typed. */
export function describeCommand(command: Command): string {
  return command[0] === '/bin/sh' && command[1] === '-c' ? (command[2] ?? '') : command.join(' ')
}
