// GROWTH.md and growth.svg: the tables of what grows, and a plot of them.

const write = (value, unit) => `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${unit}`

/** `columns`: each with a `head` and `values` by name. A value that was not measured is `undefined`. */
export function tableOf(columns) {
  const head = ['', ...columns.map(column => column.head)]
  const body = Object.keys(columns[0].values).map(name => [
    name,
    ...columns.map(({ values }) => (values[name] === undefined ? '' : write(values[name], unitOf(name)))),
  ])
  return [head, head.map(() => '---'), ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const unitOf = name => (name.startsWith('memory') ? 'MB' : name.includes('backup') ? 's' : 'ms')

const size = { width: 420, height: 300, left: 46, top: 40, bottom: 30, right: 10 }
const colours = [
  '#0a6ad1',
  '#c2410c',
  '#15803d',
  '#7c3aed',
  '#b91c1c',
  '#0e7490',
  '#a16207',
  '#be185d',
  '#475569',
  '#4d7c0f',
  '#1e3a8a',
]

/** Both axes are logarithmic. Each line is how many times its first value it takes, so a line that rises like the data is the diagonal. */
export function plotOf(charts) {
  const drawn = charts.map(({ title, columns }, at) => {
    const x = at * (size.width + 230)
    return `<g transform="translate(${x} 0)">${chartOf(title, columns)}</g>`
  })
  const width = charts.length * (size.width + 230)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${size.height}" font-family="sans-serif" font-size="11">
<title>How many times its first value each line takes, as the data grows</title>
<rect width="100%" height="100%" fill="#fff"/>
${drawn.join('\n')}
</svg>
`
}

function chartOf(title, columns) {
  const names = Object.keys(columns[0].values)
  const sizes = columns.map(column => column.size)
  const times = name => columns.map(({ values }) => values[name] / columns[0].values[name])
  const highest = 100
  const across = size.width - size.left - size.right
  const down = size.height - size.top - size.bottom
  const x = value => size.left + (across * Math.log(value / sizes[0])) / Math.log(sizes.at(-1) / sizes[0])
  const y = value => {
    const within = Math.min(highest, Math.max(0.1, value))
    return size.top + down * (1 - Math.log10(within * 10) / 3)
  }
  const grid = [0.1, 1, 10, 100].map(
    value =>
      `<path d="M${size.left} ${y(value)}H${size.width - size.right}" stroke="#ddd"/><text x="${size.left - 6}" y="${y(value) + 4}" text-anchor="end">${value} ×</text>`,
  )
  const below = sizes.map(
    value =>
      `<text x="${x(value)}" y="${size.height - 10}" text-anchor="middle">${value.toLocaleString('en')}</text>`,
  )
  const diagonal = `<path d="M${x(sizes[0])} ${y(1)}L${x(sizes[0] * highest)} ${y(highest)}" stroke="#999" stroke-dasharray="4 4"/>`
  const lines = names.map((name, at) => {
    const points = times(name)
      .map((value, column) => (Number.isFinite(value) ? `${x(sizes[column])},${y(value)}` : ''))
      .filter(Boolean)
    const colour = colours[at % colours.length]
    const key = size.top + 8 + at * 18
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/><path d="M${size.width} ${key - 4}h14" stroke="${colour}" stroke-width="2"/><text x="${size.width + 20}" y="${key}">${name}</text>`
  })
  return `<text x="${size.left}" y="18" font-size="13">${title}</text>${grid.join('')}${below.join('')}${diagonal}${lines.join('')}`
}
