"""The models behind notebook 01: against closed formulas, and against themselves at the edges."""

import itertools
import math
import random

import pytest

from helpers.simulate import latency, launch

# --- launch -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 31, 32, 33, 255, 256, 257, 1000])
def test_every_element_has_one_owner(n):
    block = 256
    owners = [launch.owner(i, block) for i in range(n)]
    assert len(set(owners)) == n
    assert all(warp < block // launch.WARP and lane < launch.WARP for _, warp, lane in owners)
    assert owners[-1][0] == launch.blocks_for(n, block) - 1
    assert launch.blocks_for(n, block) * block == n + launch.idle_lanes(n, block)


def test_the_lecture_s_launch():
    """256 threads are 8 warps; 4096 blocks on 132 SMs with 8 resident blocks take 4 waves."""
    assert launch.owner(255, 256) == (0, 7, 31)
    assert launch.waves(4096, 132, 8) == 4


@pytest.mark.parametrize("blocks, sms, resident", [(1, 4, 1), (8, 4, 1), (9, 4, 1), (23, 4, 2)])
def test_equal_blocks_run_in_waves(blocks, sms, resident):
    ran = launch.schedule([1.0] * blocks, sms, resident)
    waves = launch.waves(blocks, sms, resident)
    assert launch.makespan(ran) == waves
    assert launch.efficiency(ran, sms, resident) == blocks / (waves * sms * resident)
    assert sum(map(len, launch.rows(ran, resident).values())) == blocks


def test_a_slot_runs_one_block_at_a_time():
    random.seed(1)
    durations = [random.uniform(0.5, 2.0) for _ in range(60)]
    ran = launch.schedule(durations, sms=5, resident=2)
    for one, other in itertools.combinations(ran, 2):
        if (one.sm, one.slot) == (other.sm, other.slot):
            assert one.end <= other.start or other.end <= one.start
    starts = [block.start for block in ran]
    assert starts == sorted(starts)
    # Greedy list scheduling is never worse than the mean load plus the longest block.
    assert launch.makespan(ran) <= sum(durations) / 10 + max(durations)


def test_blocks_spread_over_sms_before_they_double_up():
    ran = launch.schedule([1.0] * 4, sms=4, resident=4)
    assert [block.sm for block in ran] == [0, 1, 2, 3]


def test_no_blocks_and_no_sms():
    assert launch.schedule([], 4) == []
    assert launch.makespan([]) == launch.efficiency([], 4) == 0
    with pytest.raises(ValueError, match="at least one SM"):
        launch.schedule([1.0], 0)


# --- latency ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tasks", [1, 2, 5, 10, 11, 12, 40])
@pytest.mark.parametrize("work, wait", [(1, 10), (4, 40), (3, 0)])
def test_utilisation_meets_the_closed_formula(tasks, work, wait):
    rounds = 400
    spans = latency.switching(latency.alike(tasks, work, wait, rounds))
    assert math.isclose(latency.utilisation(spans), latency.bound(tasks, work, wait), rel_tol=0.02)


def test_one_unit_does_one_thing_at_a_time():
    random.seed(2)
    tasks = [[(random.randint(1, 5), random.randint(0, 30)) for _ in range(12)] for _ in range(7)]
    for spans in (latency.switching(tasks), latency.staying(tasks)):
        work = sorted((s.start, s.end) for s in spans if s.kind == "work")
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(work))
        for task, steps in enumerate(tasks):
            mine = sorted((s.start, s.end) for s in spans if s.task == task)
            assert all(a[1] == b[0] for a, b in itertools.pairwise(mine))   # no gap, no overlap
            assert sum(s.end - s.start for s in spans if s.task == task and s.kind == "work") \
                == sum(step[0] for step in steps)


def test_switching_raises_throughput_and_costs_latency():
    """The same cores, the same tasks: everything ends sooner, the first task ends later."""
    tasks = latency.alike(4, work=6, wait=6, rounds=3)
    stay, switch = latency.staying(tasks), latency.switching(tasks)
    assert latency.end(switch) < latency.end(stay)
    assert latency.finished_at(switch)[0] > latency.finished_at(stay)[0]


def test_rows_cover_every_task():
    spans = latency.switching(latency.alike(3, 2, 5, 2))
    assert list(latency.rows(spans)) == ["T1", "T2", "T3"]
    assert latency.in_flight(4e12, 5e-7) == 2e6
