#!/usr/bin/env node
import { main } from '../bundle/main.js'

process.exitCode = await main(process.argv.slice(2))
