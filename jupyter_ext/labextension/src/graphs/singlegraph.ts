import { BoxPanel } from '@lumino/widgets';

import { ITraced, PanelModel } from '../kernel/model';
import { NetronFrame } from './netron';
import { NodeFacts } from './nodefacts';

/** A traced graph; if there is room, Netron's own property bar is next to it. */
export class SingleGraph extends BoxPanel {
  constructor(model: PanelModel, { graph, netron, follower }: ITraced) {
    super({ direction: 'top-to-bottom', spacing: 0 });
    const facts = new NodeFacts(place => model.revealPlace(follower, place));
    facts.overview(graph);
    this._frame = new NetronFrame({ label: `Graph of ${graph.call}`, propertyBar: 'if wide' });
    this._frame.selected.connect((_, names) =>
      facts.display(names[0], graph.nodes[names[0]] ?? null)
    );
    this.addWidget(this._frame);
    this.addWidget(facts);
    BoxPanel.setStretch(this._frame, 1);
    BoxPanel.setStretch(facts, 0);
    BoxPanel.setSizeBasis(facts, 110);
    this._frame.open(netron, `${graph.name}.netron`);
  }

  setTheme(dark: boolean): void {
    this._frame.setTheme(dark);
  }

  private _frame: NetronFrame;
}

/** A captured program as torch writes it, which only Netron reads. */
export class ProgramGraph extends BoxPanel {
  constructor(bytes: Uint8Array, call: string) {
    super({ direction: 'top-to-bottom', spacing: 0 });
    this._frame = new NetronFrame({ label: `Program of ${call}`, propertyBar: 'always' });
    this.addWidget(this._frame);
    this._frame.open(bytes, 'program.pt2');
  }

  setTheme(dark: boolean): void {
    this._frame.setTheme(dark);
  }

  private _frame: NetronFrame;
}
