/** The messages between the panel and `jupyter_ext/panel/__init__.py`. */

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
  /** The title of the fix; null if there is none. */
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

/** The kernel's look at one cell. */
export interface ILook {
  cell: string;
  /** The text that all of this speaks of. */
  source: string;
  /** The rules of the kernel's folder, where there are any. */
  rules: IRules | null;
  /** The reason why there is no conversion: the cell does not parse. */
  problem?: { message: string; line: number };
  findings: IFinding[];
  code: string;
  /** For each line of `code` the cell's line that it comes from; -1 for added lines. */
  lineMap: number[];
  remaining: number;
  changed: boolean;
  /** Why no code is left of the cell; empty where some is. */
  note: string;
}

/** The state of a cell, in one word. */
export type CellState =
  | 'different'
  | 'raised-alone'
  | 'unreadable'
  | 'raised'
  | 'unconverted'
  | 'stale'
  | 'open'
  | 'unchecked'
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

/** The last outcome of a cell, as an output that the panel draws. */
export interface IOutcome {
  /** The code that it came from, without the line of the magic. */
  source: string;
  data: { [mimeType: string]: string };
}

/** One value of a comparison; an infinite difference is larger than 1e300. */
export interface IValue {
  name: string;
  verdict: string;
  shape: number[] | null;
  dtype: string | null;
  difference: number | null;
  relative: number | null;
  reason: string;
  /** The line of the cell since which it is apart, from 0 and without that of the magic. */
  since: number | null;
  /** Whether the kernel holds its elements. */
  held: boolean;
}

/** The values of a cell's last comparison. */
export interface IValues {
  /** The code that they came from, without the line of the magic. */
  source: string;
  target: string;
  /** Curves of a training, as HTML. */
  charts: string;
  rows: IValue[];
}

/** The position at which a tensor's two values differ most. */
export interface IPeak {
  index: number[];
  torch: string;
  target: string;
  /** How many elements differ nearly as much. */
  near: number;
  /** For each dimension its size, and at how many indices, from which to which, those lie. */
  spans: [number, number, number, number][];
}

/** A slice of a tensor; torch's, the target's and their differences are sent with it as bytes. */
export interface ITensor {
  shape: number[];
  /** The index of all dimensions but the last two. */
  at: number[];
  slice: number[];
  /** The rows and columns that come, which may be fewer. */
  drawn: number[];
  low: number;
  high: number;
  most: number;
  peak: IPeak;
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

export type Verdict = 'same' | 'rounding' | 'unknown' | 'different';

/** The figures of a box: sums over its content, and its worst call. */
export interface IFigures {
  calls: number;
  flops: number;
  /** Memory of the results. */
  nbytes: number;
  dtypes: string[];
  /** That of the worst call in it; null where nothing was run. */
  verdict: Verdict | null;
  worst: string;
  torchMs: number;
  targetMs: number;
  inTorch: number;
}

/** A call, a module, a stack of blocks that are alike, or a part of a long list. */
export interface IBox {
  name: string;
  /** The module's class; empty outside of leaf modules. */
  type: string;
  /** The module's path. */
  path: string;
  op: string;
  /** Its kind of layer, in Netron's words. */
  kind: string;
  nodes: string[];
  /** How many blocks a stack has; else 0. */
  repeat: number;
  parent: string | null;
  children: string[];
  /** Between its children; each link is the call that gives and the call that takes. */
  edges: { from: string; to: string; links: [string, string][] }[];
  figures: IFigures;
}

export interface IBoxes {
  [id: string]: IBox;
}

/** A captured graph; Netron's file is sent with it as bytes. */
export interface IGraph {
  /** The kernel's key of the graph, for as long as it holds it. */
  key: string;
  call: string;
  name: string;
  nodes: { [name: string]: INode };
  boxes: IBoxes;
  flops: number;
  warnings: string[];
}

export interface IHello {
  protocol: number;
  versions: { [distribution: string]: string | null };
  /** Possible targets, including versions. */
  targets: string[];
}

/** The result of running a node on both sides; `null` means infinity. */
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
