// Opens a URL in the user's browser, best effort. The URL is an argument, never part of a shell's line.
import { spawn } from 'node:child_process'
import { environment } from './environment.ts'

/** A browser that is still running after this long has opened. */
const openedAfterMs = 2000

export async function openBrowser(url: string): Promise<boolean> {
  // URLs come from the server; other text must not reach a program as an option or a path.
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(url)) return false
  const [program = '', ...args] = launcher(url)
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    const timer = setTimeout(() => resolve(true), openedAfterMs)
    const settle = (opened: boolean) => {
      clearTimeout(timer)
      resolve(opened)
    }
    child.on('error', () => settle(false))
    child.on('exit', code => settle(code === 0))
    child.unref()
  })
}

function launcher(url: string): string[] {
  const browser = environment.browser()
  if (browser) {
    const words = browser.split(/\s+/)
    return words.includes('%s') ? words.map(word => (word === '%s' ? url : word)) : [...words, url]
  }
  if (process.platform === 'darwin') return ['open', url]
  // `start` belongs to cmd, which would read `&` in the URL as its own.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}
