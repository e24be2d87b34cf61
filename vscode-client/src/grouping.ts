/** Findings in groups: what the tree shows, without anything of the editor's. */

interface Place {
  readonly line: number;
  readonly character: number;
}

/** A finding, as the server sends it. */
export interface Row {
  readonly uri: string;
  /** In the file, or in the cell of this number among all cells of a notebook. */
  readonly range: { readonly start: Place; readonly end: Place };
  readonly cell: number | null;
  /** Its line and character in the file, or in all cells of a notebook as one text. */
  readonly at: readonly [number, number];
  readonly code: string;
  readonly severity: 'hint' | 'information' | 'warning' | 'error';
  readonly message: string;
  readonly name: string | null;
  readonly target: string | null;
  /** Whether it is a use of torch, and whether that stays in converted code. */
  readonly isUse: boolean;
  readonly stays: boolean;
  /** The risk of converting it; null if nothing converts. */
  readonly safety: string | null;
}

export interface FileRows {
  readonly uri: string;
  readonly rows: readonly Row[];
}

/** The server's answer: files, and what the codes in them mean. */
export interface Overview {
  readonly files: readonly FileRows[];
  readonly codes: Record<string, string>;
}

export interface Group {
  readonly label: string;
  readonly detail: string;
  readonly counts: string;
  readonly rows: readonly Row[];
  /** The file that it is, and whether these are all of its rows. */
  readonly file?: string;
  readonly isWhole: boolean;
}

export type Grouping = 'file' | 'code' | 'stays';

export const GROUPINGS: readonly { grouping: Grouping; label: string }[] = [
  { grouping: 'file', label: 'By file' },
  { grouping: 'code', label: 'By code' },
  { grouping: 'stays', label: 'By name, only uses that cannot be converted' },
];

/** The groups of all findings that have every word of a filter, those with the most first. */
export function group(
  files: readonly FileRows[],
  codes: Record<string, string>,
  grouping: Grouping,
  filter: string,
): Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Row[]>();
  for (const row of files.flatMap((file) => file.rows)) {
    const isMeant = grouping !== 'stays' || row.stays;
    if (isMeant && words.every((word) => textOf(row).includes(word))) {
      const key = grouping === 'file' ? row.uri : grouping === 'code' ? row.code : (row.name ?? row.code);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
  }
  const sizes = new Map(files.map((file) => [file.uri, file.rows.length]));
  const made = [...groups].map(([key, rows]): Group => {
    const counts = countsOf(rows);
    if (grouping === 'file') {
      const label = decodeURIComponent(key.slice(key.lastIndexOf('/') + 1));
      return { label, detail: '', counts, rows, file: key, isWhole: rows.length === sizes.get(key) };
    }
    return { label: key, detail: codes[rows[0].code] ?? '', counts, rows, isWhole: false };
  });
  return made.sort((a, b) => b.rows.length - a.rows.length || a.label.localeCompare(b.label));
}

/** How many uses of torch there are now, and how many once all that converts is converted. */
function countsOf(rows: readonly Row[]): string {
  const uses = rows.filter((row) => row.isUse).length;
  const stay = rows.filter((row) => row.stays).length;
  return uses === 0 ? `${rows.length} possible` : `${uses} → ${stay}`;
}

function textOf(row: Row): string {
  return `${row.code} ${row.name ?? ''} ${row.message} ${row.safety ?? ''} ${row.uri}`.toLowerCase();
}
