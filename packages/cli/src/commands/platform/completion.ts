// `svc completion`: prints the script that completes svc in a shell.
import { basename } from 'node:path'
import type { Run } from '../../command.ts'
import { completionScripts } from '../../completion/scripts.ts'
import { environment } from '../../environment.ts'
import { Failure } from '../../failure.ts'

export const printCompletion: Run = async ({ args: [asked] }) => {
  const shell = asked ?? basename(environment.shell() ?? '')
  const script = completionScripts.get(shell)
  if (!script)
    throw new Failure(
      asked
        ? `There is no completion for '${asked}'. Usage: svc completion <bash|zsh|fish>`
        : 'Usage: svc completion <bash|zsh|fish>',
    )
  process.stdout.write(script)
}
