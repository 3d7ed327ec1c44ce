import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** A colour of the tokens in one theme. */
function colour(name: string, theme: 'light' | 'dark'): string {
  const [, value = ''] = new RegExp(`--${name}: ([^;]+);`).exec(css) ?? []
  const [, light, dark] = /light-dark\((#\w{6}), (#\w{6})\)/.exec(value) ?? [undefined, value, value]
  return (theme === 'light' ? light : dark) ?? ''
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const surfaces = ['paper', 'surface', 'sunken', 'hover']
const onSurfaces = ['ink', 'ink-soft', 'ink-faint', 'red', 'green', 'accent']
const pairs: [text: string, ground: string][] = [
  ...onSurfaces.flatMap(text => surfaces.map((ground): [string, string] => [text, ground])),
  ...['green', 'red', 'amber', 'blue', 'violet'].map((tone): [string, string] => [tone, `${tone}-wash`]),
  ['ink-soft', 'grey-wash'],
  ['on-ink', 'ink'],
  ['on-ink', 'ink-hover'],
  ['on-red', 'red-fill'],
]

describe.each(['light', 'dark'] as const)('in the %s theme', theme => {
  it.each(pairs)('%s can be read on %s', (text, ground) => {
    expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5)
  })

  it('the focus ring stands out from every surface', () => {
    for (const ground of surfaces)
      expect(contrast(colour('focus', theme), colour(ground, theme))).toBeGreaterThanOrEqual(3)
  })
})

it('every custom property that a style uses is defined', () => {
  const src = new URL('../', import.meta.url)
  const read = (file: string) => readFileSync(new URL(file, src), 'utf8')
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => /\.(css|tsx)$/.test(name)).map(read)
  const defined = new Set(
    files.flatMap(text => [...text.matchAll(/(--[a-z-]+)['"\]]*:/g)].map(([, name]) => name)),
  )
  const used = files.flatMap(text => [...text.matchAll(/var\((--[a-z-]+)\)/g)].map(([, name]) => name))
  expect(used.filter(name => !defined.has(name))).toEqual([])
})
