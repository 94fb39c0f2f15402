import { describe, expect, test } from 'bun:test'
import { createApplicationDirectory } from '../../src/application/application-directory.ts'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { addApplication } from '../sealing/sealed-records.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const clock = { now: () => 1_790_000_000_000 }

/** A running server with one application, and a command that works on the same file. */
function openDirectory() {
  const opened = temporaryDatabase()
  const { database } = opened
  const applications = createApplicationStore({ database, clock })
  const application = addApplication(database, 'Demo')
  const directory = createApplicationDirectory({ database, applications })
  const other = opened.openAgain()
  const command = createApplicationStore({ database: other, clock })
  const addByCommand = (name: string) => addApplication(other, name)
  return { ...opened, application, directory, command, addByCommand }
}

describe('the directory of applications', () => {
  test('knows from the start what is in the database', () => {
    using opened = openDirectory()
    const { directory, application } = opened
    expect(directory.byId(application.id)).toEqual(application)
    expect(directory.byNumber(application.number)).toEqual(application)
    expect(directory.all()).toEqual([application])
    expect(directory.byId('app_none')).toBeNull()
    expect(directory.byId('Demo')).toBeNull()
    expect(directory.byNumber(99)).toBeNull()
  })

  test('sees what another process has committed after a refresh, and not before', () => {
    using opened = openDirectory()
    const { directory, command, application, addByCommand } = opened
    const added = addByCommand('Added')
    expect(directory.byId(added.id)).toBeNull()
    expect(directory.refresh()).toBe(true)
    expect(directory.byId(added.id)).toEqual(added)
    command.setSimulated(application.id, true)
    expect(directory.refresh()).toBe(true)
    expect(directory.byId(application.id)?.simulated).toBe(true)
    command.remove(application.id)
    expect(directory.refresh()).toBe(true)
    expect(directory.byId(application.id)).toBeNull()
    expect(directory.byNumber(application.number)).toBeNull()
    expect(directory.all()).toEqual([added])
  })

  test('has nothing to refresh when nobody else has committed', () => {
    using opened = openDirectory()
    const { directory, database, addByCommand } = opened
    expect(directory.refresh()).toBe(false)
    addApplication(database, 'Own')
    expect(directory.refresh()).toBe(false)
    addByCommand('Added')
    expect(directory.refresh()).toBe(true)
    expect(directory.refresh()).toBe(false)
  })

  test('keeps what it has handed out as it was', () => {
    using opened = openDirectory()
    const before = opened.directory.all()
    opened.addByCommand('Added')
    opened.directory.refresh()
    expect(before).toEqual([opened.application])
  })

  test('tells its listeners of each change, with the new state in place, until they have left', () => {
    using opened = openDirectory()
    const { directory, addByCommand } = opened
    const heard: number[] = []
    const leave = directory.onChange(() => heard.push(directory.all().length))
    directory.refresh()
    expect(heard).toEqual([])
    addByCommand('Added')
    directory.refresh()
    addByCommand('More')
    directory.refresh()
    expect(heard).toEqual([2, 3])
    leave()
    addByCommand('Another')
    directory.refresh()
    expect(heard).toEqual([2, 3])
  })
})
