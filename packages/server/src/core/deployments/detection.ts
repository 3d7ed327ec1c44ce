// Detects whether a deployment is a server and how it starts, with the table that the platform shares with its clients.
import { type Command, type Detected, detectServer } from '@svc/contract/site'
import type { PackReader } from '../../ports/packs/pack-reader.ts'

export type { Command } from '@svc/contract/site'

/** The methods of `PackReader` that detection needs. */
export type AppFiles = Pick<PackReader, 'find' | 'files' | 'read'>

export function detectApp(files: AppFiles): Promise<Detected> {
  return detectServer({
    *paths() {
      for (const { path } of files.files()) yield path
    },
    sizeOf: path => files.find(path)?.size,
    text: async path => (await files.read(files.find(path)!)).toString('utf8'),
  })
}

/** The command as it is stored. */
export const encodeCommand = (command: Command): string => JSON.stringify(command)
export const decodeCommand = (stored: string): Command => JSON.parse(stored) as unknown as Command

/** The command as it would be typed. */
export function describeCommand(command: Command): string {
  return command[0] === '/bin/sh' && command[1] === '-c' ? (command[2] ?? '') : command.join(' ')
}
