import { basename, dirname } from 'node:path';

/** A unit of systemd: the values of each of its settings, `Timer.OnCalendar`, in their order. */
export interface Unit {
  /** Its name: `backup.timer`. */
  readonly name: string;
  readonly settings: ReadonlyMap<string, readonly string[]>;
}

const unitName = /^[\w@:.\\-]+\.(?:timer|service)$/;

const isTrigger = /^Timer\.On\w*(?:Sec|Calendar)$/;

/**
 * Reads units as `systemctl cat` prints them, each fragment after a comment with its path, or as a file of one unit. Values of
 * drop-ins are added, and an empty value removes those before it: systemd.syntax(7).
 * @param file names the unit until a comment does.
 * @returns the units, and what is no part of one, a sentence each.
 */
export function readUnits(
  text: string,
  file: string,
): { readonly units: Map<string, Unit>; readonly problems: string[] } {
  const units = new Map<string, Unit & { readonly settings: Map<string, string[]> }>();
  const problems: string[] = [];
  let name = unitName.test(basename(file)) ? basename(file) : null;
  let section = '';
  for (const { line, content } of logicalLines(text)) {
    const place = /^#\s*(\/\S+)$/.exec(content)?.[1];
    if (place !== undefined) name = unitAt(place) ?? name;
    if (content === '' || /^[#;]/.test(content)) continue;
    const header = /^\[(\w[\w -]*)\]$/.exec(content)?.[1];
    const [, key, value = ''] = /^([A-Za-z]\w*)\s*=\s*(.*)$/s.exec(content) ?? [];
    if (header !== undefined) section = header;
    else if (key === undefined || section === '')
      problems.push(`${file}, line ${line}: there is no setting of a unit.`);
    else if (name === null)
      problems.push(`${file}, line ${line}: it is not said which unit this is; give the output of systemctl cat.`);
    else addValue(units, name, `${section}.${key}`, value);
  }
  return { units, problems };
}

function addValue(
  units: Map<string, Unit & { settings: Map<string, string[]> }>,
  name: string,
  key: string,
  value: string,
): void {
  const unit = units.get(name) ?? { name, settings: new Map<string, string[]>() };
  units.set(name, unit);
  // An empty trigger removes all of them: systemd.timer(5).
  if (value === '' && isTrigger.test(key))
    for (const each of unit.settings.keys()) if (isTrigger.test(each)) unit.settings.delete(each);
  unit.settings.set(key, value === '' ? [] : [...(unit.settings.get(key) ?? []), value]);
}

/** Returns the name of the unit that a file is of, or a drop-in in the folder of one. */
function unitAt(path: string): string | null {
  const [own, folder] = [basename(path), basename(dirname(path)).replace(/\.d$/, '')];
  if (unitName.test(own)) return own;
  return own.endsWith('.conf') && unitName.test(folder) ? folder : null;
}

/** Joins lines that end with a backslash to the next one; comments between them are left out. */
function logicalLines(text: string): { readonly line: number; readonly content: string }[] {
  const joined: { line: number; content: string; isOpen: boolean }[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const content = raw.trim();
    const last = joined.at(-1);
    if (last?.isOpen) {
      if (/^[#;]/.test(content)) continue;
      last.content += ` ${content.replace(/\\$/, '').trim()}`;
      last.isOpen = content.endsWith('\\');
    } else {
      const isOpen = content.endsWith('\\') && !/^[#;]/.test(content);
      joined.push({ line: index + 1, content: isOpen ? content.slice(0, -1).trim() : content, isOpen });
    }
  }
  return joined;
}
