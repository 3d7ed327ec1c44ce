// Which databases the tests of a run used, so that nobody takes a run on SQLite for a run on both.

/** @param {import('vitest/node').TestModule[]} modules */
export function reportDatabases(modules) {
  const runsOn = (module, database) =>
    [...module.children.allSuites()].some(suite => suite.name.endsWith(`on ${database}`))
  const onSqlite = modules.filter(module => runsOn(module, 'sqlite'))
  const onBoth = onSqlite.filter(module => runsOn(module, 'postgres'))
  if (onSqlite.length === 0) return
  console.log(
    `\nOf ${onSqlite.length} test files for both databases, ${onBoth.length} ran on SQLite and PostgreSQL.`,
  )
  if (onBoth.length < onSqlite.length)
    console.log('The others ran on SQLite only. Run everything on both: npm test -- --all')
}
