// The connector (connector.mts) as a Perl program (packages/server/connector.pl), for machines with Perl, such as every Debian.
import { fileURLToPath } from 'node:url'
import { programFile } from '../../../../program-files.ts'

/** The number of the system call sendmsg, by architecture. */
const sendmsg: Partial<Record<NodeJS.Architecture, number>> = { x64: 46, arm64: 211 }

const file = fileURLToPath(programFile('../connector.pl'))

/** The command inside the sandbox, and its mount. `undefined` if the number of sendmsg is not known for this architecture. */
export function perlConnector(perl: string): { command: string[]; mounts: string[] } | undefined {
  const number = sendmsg[process.arch]
  if (number === undefined) return undefined
  return { command: [perl, '/connector.pl', String(number)], mounts: ['--ro-bind', file, '/connector.pl'] }
}
