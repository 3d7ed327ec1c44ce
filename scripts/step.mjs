// Runs one step of a longer job: one calm line with its time, and the whole output only if it fails.
import { spawn } from 'node:child_process'

export class StepFailed extends Error {}

/**
 * @param {string} label what the reader is waiting for
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export async function step(label, program, args, options = {}) {
  const began = performance.now()
  process.stderr.write(`${label} … `)
  const { ending, output } = await run(program, args, options)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (ending === 0) {
    process.stderr.write(`${seconds} s\n`)
    return
  }
  process.stderr.write(`failed after ${seconds} s\n\n`)
  process.stderr.write(output)
  throw new StepFailed(`${[program, ...args].join(' ')} ended with ${ending}`)
}

/** For the outermost call of a script: a failed step has been shown already, and ends it with 1. */
export async function orEnd(work) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

async function run(program, args, options) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  const output = []
  child.stdout.on('data', chunk => output.push(chunk))
  child.stderr.on('data', chunk => output.push(chunk))
  // A signal for us is meant for the work we started, too.
  const pass = signal => child.kill(signal)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, pass)
  try {
    const ending = await new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code, signal) => resolve(code ?? signal))
    })
    return { ending, output: Buffer.concat(output) }
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.off(signal, pass)
  }
}
