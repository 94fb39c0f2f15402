// The few functions of expo-file-system that the library calls, on a folder of this machine.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { phone } from 'phone'

class Place {
  constructor(...parts) {
    this.path = join(...parts.map((part) => part.path ?? part))
  }
  get exists() {
    return existsSync(this.path)
  }
  get name() {
    return basename(this.path)
  }
  delete() {
    rmSync(this.path)
  }
}

export class File extends Place {
  text = async () => readFileSync(this.path, 'utf8')
  write = async (text) => writeFileSync(this.path, text)
}

export class Directory extends Place {
  list = () => readdirSync(this.path).map((name) => new File(this, name))
}

phone.folder ??= mkdtempSync(join(import.meta.dir, 'phone-'))

export const Paths = {
  get document() {
    return new Directory(phone.folder)
  },
  get appleSharedContainers() {
    return Object.fromEntries(phone.groups.map((name) => [name, new Directory(phone.folder)]))
  },
}
