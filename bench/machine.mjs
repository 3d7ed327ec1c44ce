// What the numbers were taken on.
import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

export function describeMachine() {
  return {
    date: `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    CPU: `${cpuModel()}, ${cpus().length} cores`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GB`,
    kernel: `${process.platform} ${release()} ${process.arch}`,
    Node: process.version,
    nginx: firstLine('nginx', '-v').replace(/^.*\//, ''),
    Caddy: firstLine('caddy', 'version'),
    'load average at the start': loadavg()[0].toFixed(1),
  }
}

function cpuModel() {
  const [cpu] = cpus()
  if (cpu?.model && cpu.model !== 'unknown') return cpu.model
  return /Model name:\s*(.*)/.exec(spawnSync('lscpu', { encoding: 'utf8' }).stdout)?.[1] ?? process.arch
}

function firstLine(program, ...args) {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  // nginx says its version on stderr.
  return (stdout || stderr || 'not found').split('\n')[0].trim()
}
