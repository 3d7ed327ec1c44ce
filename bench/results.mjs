// The table of results: values, ratios, targets, and whether they are met.

/** A row's verdict: the number that its target speaks of, the target in words, and whether it is met. */
export function judge(row) {
  const ratio = row.value === undefined ? undefined : row.svc / row.value
  if (row.atLeast !== undefined) return verdict(ratio, `≥ ${row.atLeast} ×`, ratio >= row.atLeast)
  if (row.atMost !== undefined) return verdict(ratio, `≤ ${row.atMost} ×`, ratio <= row.atMost)
  if (row.limit !== undefined) return verdict(ratio, `≤ ${row.limit} ${row.unit}`, row.svc <= row.limit)
  return verdict(ratio, '', undefined)
}

const verdict = (ratio, target, met) => ({ ratio, target, met })

export function tableOf(rows) {
  const head = ['what', 'svc', 'beside', 'ratio', 'target', 'met']
  const body = rows.map(row => {
    const { ratio, target, met } = judge(row)
    const beside = row.value === undefined ? '' : `${row.other}: ${amount(row.value)} ${row.unit}`
    const times = ratio === undefined ? '' : `${ratio.toFixed(2)} ×`
    return [
      row.what,
      `${amount(row.svc)} ${row.unit}`,
      beside,
      times,
      target,
      met === undefined ? '' : met ? 'yes' : '**no**',
    ]
  })
  return [head, head.map(() => '---'), ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

export function documentOf(rows, machine) {
  const about = Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`)
  return `# Results of \`npm run bench\`

${about.join('\n')}

${tableOf(rows)}

Each line was measured side by side in one run: contenders take turns, round by round, and the medians are shown, so
that the ratios mean more than the values, which move with the machine. "One core" means that the server is pinned to
one core and the load generator to another. [README.md](README.md) says how each line is measured.
`
}

function amount(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}
