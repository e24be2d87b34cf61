/** What the panel and `jupyter_ext/panel/__init__.py` say to each other. */

export type Severity = 'hint' | 'information' | 'warning' | 'error';

/** One remark about a place in a cell; offsets count UTF-16 units, lines from 0. */
export interface IFinding {
  code: string;
  severity: Severity;
  message: string;
  name: string | null;
  target: string | null;
  certainty: string;
  line: number;
  /** What taking the fix does; null where there is none. */
  fix: string | null;
  start: number;
  end: number;
}

/** The rules that a project brings, which are code, and whether the person lets them run. */
export interface IRules {
  /** The folder whose settings name them. */
  folder: string;
  /** Their module, as seen from that folder. */
  module: string;
  trusted: boolean;
}

/** What the kernel saw in one cell. */
export interface ILook {
  cell: string;
  /** The text that all of this speaks of. */
  source: string;
  /** The rules of the kernel's folder, where there are any. */
  rules: IRules | null;
  /** Why there is no conversion: the cell does not parse. */
  problem?: { message: string; line: number };
  findings: IFinding[];
  code: string;
  /** For each line of `code` the cell's line that it comes from; -1 for added lines. */
  lineMap: number[];
  remaining: number;
  changed: boolean;
}

/** What a cell is, in one word. */
export type CellState =
  | 'lost'
  | 'different'
  | 'unreadable'
  | 'raised'
  | 'unconverted'
  | 'stale'
  | 'open'
  | 'converted'
  | 'drift'
  | 'same'
  | 'plain';

/** How far a cell is, and the figures of its last comparison. */
export interface ICellState {
  cell: string;
  state: CellState;
  said: string;
  difference: number | null;
  torchSeconds: number | null;
  targetSeconds: number | null;
}

/** What a cell last came to, as an output that the panel draws. */
export interface IOutcome {
  /** The code that it came from, without the line of the magic. */
  source: string;
  data: { [mimeType: string]: string };
}

/** The edits that convert a cell of this text. */
export interface ICellEdits {
  cell: string;
  source: string;
  edits: IEdit[];
}

export interface IEdit {
  start: number;
  end: number;
  text: string;
}

/** A call of a model that can be traced. */
export interface ICall {
  text: string;
  line: number | null;
  note: string;
}

/** A line that a node of a graph comes from. */
export interface IPlace {
  cell: string | null;
  count: number | null;
  file: string;
  line: number;
  code: string;
}

/** Facts about one node of a captured graph. */
export interface INode {
  op: string;
  module: string;
  moduleType: string;
  inputs: string[];
  values: string[];
  flops: number;
  bytes: number;
  place: IPlace | null;
}

/** A captured graph; Netron's file comes beside it as bytes. */
export interface IGraph {
  /** What the kernel knows it by, for as long as it holds it. */
  key: string;
  call: string;
  name: string;
  nodes: { [name: string]: INode };
  flops: number;
  warnings: string[];
}

export interface IHello {
  protocol: number;
  versions: { [distribution: string]: string | null };
  /** What may be converted to, versions included. */
  targets: string[];
}

/** What running a node on both sides gave; `null` stands for an infinite number. */
export interface IRow {
  /** The statement of the target that computes the node. */
  code: string;
  line: number;
  equal: boolean;
  reason: string;
  random: boolean;
  difference: number | null;
  limit: number | null;
  torchMs: number;
  targetMs: number;
}

/** Nodes that run in torch on both sides, with the reasons. */
export interface IIsland {
  nodes: string[];
  reasons: { [node: string]: string };
}

/** A captured graph and its counterpart in the target. */
export interface IPair extends IGraph {
  target: string;
  source: string;
  rows: { [node: string]: IRow };
  islands: { [name: string]: IIsland };
  caveats: { [node: string]: string[] };
  equal: boolean;
  summary: string;
  first: string | null;
}
