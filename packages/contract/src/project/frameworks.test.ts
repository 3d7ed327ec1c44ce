import { expect, it } from 'vitest'
import { frameworksWithCase } from './conformance.ts'
import { frameworks } from './frameworks.ts'

it('every framework has a project that goes through all ways into the platform', () => {
  expect(frameworks.map(({ name }) => name).filter(name => !frameworksWithCase.has(name))).toEqual([])
})
