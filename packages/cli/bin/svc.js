#!/usr/bin/env node
// The front door of svc. It answers `--version` itself, so that the question costs little more than Node does.
import { readFileSync } from 'node:fs'

const argv = process.argv.slice(2)

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  process.stdout.on('error', error => process.exit(error.code === 'EPIPE' ? 0 : 1))
  process.stdout.write(`${version()}\n`)
} else {
  const { main } = await import('../bundle/main.js')
  process.exitCode = await main(argv, version())
}

function version() {
  try {
    return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version ?? '0.0.0'
  } catch {
    // Package metadata that cannot be read says nothing about the version.
    return '0.0.0'
  }
}
