// The process of `useOneProcess`: runs a command as each message says, and answers with what it printed.
import type { Order } from './many-commands.ts'
import type { Result } from './svc.ts'

const { main }: { main(argv: string[], version: string): Promise<number> } = await import(
  new URL('../../bundle/main.js', import.meta.url).href
)

// The tool listens for errors of its output in each run.
process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)
const own = { ...process.env }

process.on('message', async ({ args, cwd, env }: Order) => {
  const result: Result = { code: null, stdout: '', stderr: '' }
  process.chdir(cwd)
  process.env = { ...own, HOME: cwd, ...env }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      result[name] += text
      return true
    }
  result.code = await main(args, '0.0.0')
  process.send?.(result)
})
