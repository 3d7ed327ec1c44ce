// Finds regular expressions whose time can grow faster than their input: one request with a long header would block
// the event loop for everyone. `scslre` finds most; the two rules below find what it leaves out.
import { RegExpParser } from '@eslint-community/regexpp'
import { getFirstConsumedChar, hasSomeDescendant, toUnicodeSet } from 'regexp-ast-analysis'
import { parseSync } from 'rolldown/utils'
import { analyse } from 'scslre'

/** More repetitions than this count as unbounded. */
const bounded = 1_000

/** A `new RegExp` with parts that are not in the source must say why it is linear, on the line above or its own. */
const explained = /\/\/ Linear: ./

/** The problems of one source file, as `path:line: words`. */
export function problemsOf(path, text) {
  return expressionsOf(path, text).flatMap(({ line, pattern, flags }) => {
    if (pattern === undefined) {
      const lines = text.split('\n').slice(Math.max(0, line - 2), line)
      if (lines.some(words => explained.test(words))) return []
      return [`${path}:${line}: a built RegExp needs a comment above it: "// Linear: <why>".`]
    }
    const why = slownessOf(pattern, flags)
    return why ? [`${path}:${line}: /${pattern}/${flags} is not linear: ${why}. Parse by hand instead.`] : []
  })
}

/** Undefined if the expression is linear in the length of its input. */
export function slownessOf(pattern, flags) {
  const { reports } = analyse({ source: pattern, flags }, { assumeRejectingSuffix: false })
  if (reports.length > 0) return `scslre reports ${reports.map(({ type }) => type).join(', ')}`
  const parser = new RegExpParser()
  const unicode = flags.includes('u')
  const root = parser.parsePattern(pattern, 0, pattern.length, { unicode, unicodeSets: flags.includes('v') })
  const parsed = parser.parseFlags(flags)
  for (const quantifier of quantifiersOf(root))
    for (const [words, applies] of Object.entries(rules))
      if (applies(quantifier, parsed)) return `${quantifier.raw} ${words}`
  return undefined
}

const rules = {
  'repeats alternatives that can begin alike': repeatsAmbiguously,
  'is scanned again from every position where a match can begin': rescansFromEveryStart,
}

function expressionsOf(path, text) {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  const found = []
  visit(program, node => {
    const line = () => text.slice(0, node.start).split('\n').length
    if (node.type === 'Literal' && node.regex) found.push({ line: line(), ...node.regex })
    else if (isBuilt(node)) found.push({ line: line(), ...constantOf(node.arguments) })
  })
  return found
}

const isBuilt = ({ type, callee }) =>
  (type === 'NewExpression' || type === 'CallExpression') && callee.name === 'RegExp'

/** Empty where the pattern or the flags are not plain strings. */
function constantOf([source, flags]) {
  const isConstant = [source, flags].every(part => part === undefined || typeof part.value === 'string')
  return isConstant && source ? { pattern: source.value, flags: flags?.value ?? '' } : {}
}

function visit(node, see) {
  if (node === null || typeof node !== 'object') return
  if (typeof node.type === 'string') see(node)
  for (const child of Object.values(node)) if (typeof child === 'object') visit(child, see)
}

function quantifiersOf(root) {
  const found = []
  hasSomeDescendant(root, node => {
    if (node.type === 'Quantifier' && node.max > bounded) found.push(node)
    return false
  })
  return found
}

/** Exponential: `/^(?:a|a)*$/` can read each `a` in two ways. */
function repeatsAmbiguously({ element }, flags) {
  const firsts = (element.alternatives ?? []).map(
    alternative => getFirstConsumedChar(alternative, 'ltr', flags).char,
  )
  return firsts.some((set, at) => firsts.slice(at + 1).some(other => !set.isDisjointWith(other)))
}

/**
 * Quadratic: the expression may begin anywhere, what stands before the quantifier can also stand inside of it, and what
 * follows can fail. `/\s#.*$/` on ` # # # …` and a line break reads to the line break from every ` #`.
 */
function rescansFromEveryStart(quantifier, flags) {
  if (flags.sticky) return false
  const inside = charactersIn(quantifier, flags)
  let canFail = false
  for (let node = quantifier; node.type !== 'Pattern'; node = node.parent) {
    if (node.parent.type === 'Assertion') return false
    if (node.parent.type !== 'Alternative') continue
    const at = node.parent.elements.indexOf(node)
    const [before, after] = [node.parent.elements.slice(0, at), node.parent.elements.slice(at + 1)]
    if (before.some(element => isAnchor(element, flags) || isOutside(element, inside, flags))) return false
    canFail ||= after.some(isRequired)
  }
  return canFail
}

const isAnchor = (element, flags) =>
  element.type === 'Assertion' && element.kind === 'start' && !flags.multiline

/** Whether the element has to match something that the quantifier never does. */
function isOutside(element, inside, flags) {
  if (element.type === 'Assertion' && element.kind === 'start')
    return !inside.some(set => set.has('\n'.charCodeAt(0)))
  if (!isRequired(element) || element.type === 'Assertion') return false
  return charactersIn(element, flags).every(set => inside.every(other => set.isDisjointWith(other)))
}

function isRequired(element) {
  if (element.type === 'Quantifier') return element.min > 0
  return element.type !== 'Group' || element.alternatives.every(({ elements }) => elements.some(isRequired))
}

function charactersIn(node, flags) {
  const sets = []
  hasSomeDescendant(
    node,
    child => {
      const isSet = ['Character', 'CharacterSet', 'CharacterClass', 'ExpressionCharacterClass'].includes(
        child.type,
      )
      if (isSet) sets.push(toUnicodeSet(child, flags).chars)
      return false
    },
    child => child.type !== 'CharacterClass' && child.type !== 'Assertion',
  )
  return sets
}
